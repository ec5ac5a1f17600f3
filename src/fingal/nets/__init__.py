"""Nets: planes in, policies and values out.

In the order in which they build on one another:

- ``planes``, ``planes_torch``: encoders; ``blocks``, ``attention``: parts; ``residual``: the architecture of them;
  ``folded``: its form for inference;
- ``signed``, ``signed_net``, ``choice``: the nets of paper 003, built by name;
- ``card``, ``checkpoint``: files;
- ``onnx_check``, ``onnx_trial``: ONNX files of others; ``outputs``: what every evaluator's outputs must be;
- ``onnx_evaluator``, ``torch_evaluator``: inference; ``wrappers``: cache, batcher, rotation; ``inference``: one call
  that opens any of them;
- ``agreement``: how far two evaluators agree; ``export``, ``quantise``: ONNX.

Nothing here is imported before it is needed: playing through ONNX Runtime loads no torch.
"""
