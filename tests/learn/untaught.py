"""An apprentice and its teacher, nets that were never trained, for tests."""

from pathlib import Path

import torch

from fingal.learn.parts.actor import judge_for
from fingal.nets import checkpoint
from fingal.nets.judge import Judge
from fingal.nets.residual import Config, Residual

CPU = torch.device("cpu")
TINY = Config(blocks=2, channels=8, pool_every=2, pool_channels=2, policy_channels=4, value_channels=4, value_hidden=8)


def made(path: Path, seed: int, louder: float = 1.0) -> str:
    """A file with a net that was never trained; its policy can be made more decided."""
    torch.manual_seed(seed)
    net = Residual(TINY)
    with torch.no_grad():
        net.policy_head.out.weight.mul_(louder)
    checkpoint.save(net, path)
    return str(path)


def judge(net: str | Path) -> Judge:
    loaded = checkpoint.load(checkpoint.find(net))[0]
    found = judge_for(loaded, CPU)
    found.refresh(loaded)
    return found
