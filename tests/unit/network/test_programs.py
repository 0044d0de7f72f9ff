"""Programs of torch.export as they are."""

import numpy as np
import pytest
import torch
from torch import nn

from plica.errors import InvalidInput
from plica.network import from_torch


class Image(nn.Module):
    """A convolution, a branch over a size, a view with the size of the batch."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.out = nn.Conv2d(1, 2, 2), nn.BatchNorm2d(2), nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        z = torch.relu(self.norm(self.conv(x)))
        return self.out(z.view(z.shape[0], -1)) if z.shape[1] == 2 else z


class Pair(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(2, 4), nn.Linear(3, 4)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.a(x) + self.b(y))


def exported(module: nn.Module, *inputs: torch.Tensor, dynamic: bool = False) -> torch.export.ExportedProgram:
    shapes = tuple({0: torch.export.Dim("batch")} for _ in inputs) if dynamic else None
    return torch.export.export(module.eval(), inputs, dynamic_shapes=shapes)


@pytest.mark.filterwarnings("ignore")  # of torch, about its own future
@pytest.mark.parametrize("dynamic", [False, True])
def test_a_program_is_the_module(dynamic: bool) -> None:
    torch.manual_seed(0)
    model = Image().double()
    net = from_torch(exported(model, torch.zeros(2, 1, 3, 3, dtype=torch.float64), dynamic=dynamic))
    x = np.random.default_rng(0).normal(size=(5, 1, 3, 3))
    assert net.input_shape == (1, 3, 3)
    assert np.allclose([net(v) for v in x], model(torch.as_tensor(x)).detach().numpy(), rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_one_input_of_a_program_varies() -> None:
    torch.manual_seed(1)
    model, y = Pair().double(), torch.tensor([[0.5, -1.0, 2.0]], dtype=torch.float64)
    program = exported(model, torch.zeros(2, 2, dtype=torch.float64), torch.zeros(2, 3, dtype=torch.float64))
    net = from_torch(program, fixed={"y": y})
    x = torch.tensor([[0.3, -0.7]], dtype=torch.float64)
    assert np.allclose(net(x[0].numpy()), model(x, y).detach().numpy()[0], rtol=1e-12)
    with pytest.raises(InvalidInput, match="takes 2 inputs"):
        from_torch(program)
    with pytest.raises(InvalidInput, match="no input 'z'"):
        from_torch(program, fixed={"z": y})


@pytest.mark.filterwarnings("ignore")
def test_programs_that_cannot_be_read_are_refused() -> None:
    with pytest.raises(InvalidInput, match="a batch of 1 inputs"):
        from_torch(exported(nn.Linear(2, 3), torch.zeros(1, 2)))
    broken = nn.Linear(2, 3)
    with torch.no_grad():
        broken.weight[0, 0] = float("nan")
    with pytest.raises(InvalidInput, match="'weight' of the program is not finite"):
        from_torch(exported(broken, torch.zeros(2, 2)))
