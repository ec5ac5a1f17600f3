"""Nets: planes in, policies and values out.

In the order in which they build on one another: ``planes`` and ``planes_torch`` (encoders), ``residual`` (the
architecture), ``card`` and ``checkpoint`` (files), ``onnx_evaluator`` and ``torch_evaluator`` (inference),
``wrappers`` (cache, batcher, rotation), ``inference`` (one call that opens any of them), ``export`` and
``quantise`` (ONNX). Nothing here is imported before it is needed: playing through ONNX Runtime loads no torch.
"""
