"""Reading torch modules: shapes, names, cuts, and what is refused."""

import copy

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn
from torch.nn.utils import parametrizations

from plica.errors import InvalidInput, InvalidNetwork, UnsupportedLayer
from plica.network import from_torch


def mlp():
    return nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))


def assert_same_function(network, module, shape, tolerance=1e-12):
    x = torch.randn(3, *shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        expected = copy.deepcopy(module).double()(x).numpy()
    assert np.abs(network(x.numpy()) - expected).max() <= tolerance * max(1.0, np.abs(expected).max())


class Block(nn.Module):
    def __init__(self, n_in, n_out, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(n_in, n_out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(n_out)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(n_out, n_out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(n_out)
        self.downsample = None
        if stride != 1 or n_in != n_out:
            self.downsample = nn.Sequential(nn.Conv2d(n_in, n_out, 1, stride, bias=False), nn.BatchNorm2d(n_out))

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += identity
        return self.relu(y)


class ResNet18(nn.Module):
    """Eight residual blocks in four stages, as in the paper; ``width`` 64 is the true one."""

    def __init__(self, width=64, n_classes=10):
        super().__init__()
        widths = [width, width, 2 * width, 4 * width, 8 * width]
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        stages = zip(widths, widths[1:], (1, 2, 2, 2), strict=False)
        self.layers = nn.ModuleList(nn.Sequential(Block(a, b, s), Block(b, b)) for a, b, s in stages)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(8 * width, n_classes)

    def forward(self, x):
        x = self.maxpool(F.relu(self.bn1(self.conv1(x)), inplace=True))
        for layer in self.layers:
            x = layer(x)
        return self.fc(torch.flatten(self.avgpool(x), 1))


def with_statistics(module):
    """Batch norms as after training."""
    generator = torch.Generator().manual_seed(0)
    for part in module.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.running_mean = 0.3 * torch.randn(part.num_features, generator=generator)
            part.running_var = torch.rand(part.num_features, generator=generator) + 0.5
    return module.eval()


@pytest.mark.parametrize("width", [4, 64])
def test_a_resnet18_converts_and_computes_the_same(width):
    module = with_statistics(ResNet18(width))
    network = from_torch(module, example_input=torch.zeros(1, 3, 32, 32))
    assert_same_function(network, module, (3, 32, 32))
    assert len(network.layers) == 1 + 1 + 16
    assert network.nodes[network.layers[-1]].name == "layers.3.1.relu#2"
    if width == 64:
        # eleven million weights of convolutions and the head; batch norms keep two numbers for each channel
        assert network.n_parameters > 11_000_000


def test_the_input_shape_of_an_mlp_is_read_off_its_first_layer():
    network = from_torch(mlp())
    assert network.input_shape == (3,)
    assert network.widths == (3, 8, 8, 2)
    assert [node.name for node in network.nodes] == ["input", "0", "1", "2", "3", "4"]


def test_the_input_shape_is_found_behind_flattening():
    module = nn.Sequential(nn.Flatten(), nn.Dropout(), nn.Linear(12, 4), nn.ReLU()).eval()
    assert from_torch(module).input_shape == (12,)
    assert from_torch(module, example_input=torch.zeros(2, 3, 4)).input_shape == (3, 4)


def test_the_input_shape_of_a_functional_linear_layer_is_found():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(4, 5))

        def forward(self, x):
            return F.linear(x.view(x.size(0), -1), self.weight)

    assert from_torch(Net()).input_shape == (5,)


def test_a_convolution_asks_for_an_example():
    with pytest.raises(InvalidInput, match="first layer '0' is Conv2d") as caught:
        from_torch(nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()))
    assert "torch.zeros(1, 3, height, width)" in caught.value.hint


def test_an_example_may_be_an_array():
    assert from_torch(nn.Sequential(nn.Conv1d(2, 3, 3)), example_input=np.zeros((1, 2, 7))).output_shape == (3, 5)


@pytest.mark.parametrize(
    ("example", "message"),
    [(torch.zeros(3), "batch axis"), (torch.zeros(0, 3), "batch axis"), ("image", "expected a tensor"), (torch.zeros(1, 7), "7")],
)
def test_a_wrong_example_is_refused(example, message):
    with pytest.raises((InvalidInput, InvalidNetwork), match=message):
        from_torch(mlp(), example_input=example)


def test_a_wrong_shape_names_the_layer_and_the_input():
    with pytest.raises(InvalidNetwork, match=r"layer '0'.*3 inputs.*\(4,\)") as caught:
        from_torch(mlp(), example_input=torch.zeros(1, 4))
    assert "from example_input" in caught.value.hint


def test_weights_of_low_precision_are_converted_exactly():
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        layer = nn.Linear(3, 2).to(dtype)
        network = from_torch(layer)
        weight = network.nodes[1].op.weight
        assert weight.dtype == np.float64
        assert (weight == layer.weight.detach().to(torch.float64).numpy()).all()


def test_the_network_keeps_its_weights_when_the_module_is_trained_on():
    module = mlp().double()
    network = from_torch(module)
    before = network(np.ones(3))
    with torch.no_grad():
        for p in module.parameters():
            p.zero_()
    assert (network(np.ones(3)) == before).all()


def test_the_module_is_left_as_it_was():
    module = with_statistics(ResNet18(2))
    before = {k: v.clone() for k, v in module.state_dict().items()}
    random_state = torch.get_rng_state()
    from_torch(module, example_input=torch.zeros(1, 3, 32, 32))
    assert all(torch.equal(v, before[k]) for k, v in module.state_dict().items())
    assert torch.equal(random_state, torch.get_rng_state())
    assert not module.training


def test_tensors_made_on_the_way_leave_no_trace_in_the_module():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(3, 2)

        def forward(self, x):
            return self.lin(x) * torch.tensor([2.0, 0.5]) + torch.arange(2)

    module = Net()
    before = set(vars(module))
    assert_same_function(from_torch(module), module, (3,))
    assert set(vars(module)) == before


def test_until_gives_the_input_of_a_layer():
    module = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 8), nn.LayerNorm(8), nn.Linear(8, 2))
    assert_same_function(from_torch(module, until="3"), module[:3], (3,))


def test_until_accepts_the_name_in_the_message():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = mlp()

        def forward(self, x):
            return torch.softmax(self.body(x), 1)

    module = Net()
    with pytest.raises(UnsupportedLayer, match=r"layer 5 \('softmax'\) is softmax, which is not piecewise linear") as caught:
        from_torch(module)
    assert "until='softmax'" in caught.value.hint
    assert_same_function(from_torch(module, until="softmax"), module.body, (3,))


def test_until_accepts_a_container_and_code_behind_it_is_not_looked_at():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.head = mlp(), nn.Sequential(nn.Linear(2, 2), nn.Tanh())

        def forward(self, x):
            y = self.head(self.body(x))
            return y if y.sum() > 0 else -y  # fx cannot follow this

    module = Net()
    assert_same_function(from_torch(module, until="head"), module.body, (3,))


def test_until_with_an_unknown_name_lists_the_layers():
    with pytest.raises(InvalidInput, match="no layer 'nrom'") as caught:
        from_torch(mlp(), until="nrom")
    assert "'0', '1'" in caught.value.hint


def test_until_the_first_layer_leaves_nothing():
    with pytest.raises(InvalidInput, match="nothing comes before"):
        from_torch(mlp(), until="0")


class Looping(nn.Module):
    """torch.fx cannot follow range(x.size(1)) or a branch on a size; torch.export can."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        for _ in range(x.size(1) // 2):
            x = torch.relu(self.lin(x))
        return x if x.shape[-1] == 4 else self.norm(x)


def test_loops_over_sizes_are_read_by_export():
    module = Looping()
    network = from_torch(module, example_input=torch.zeros(1, 4))
    assert len(network.layers) == 2
    assert [n.name for n in network.nodes] == ["input", "lin", "relu", "lin#2", "relu#2"]
    assert_same_function(network, module, (4,))


def test_export_asks_for_an_example():
    with pytest.raises(UnsupportedLayer, match=r"torch.fx") as caught:
        from_torch(Looping())
    assert "example_input" in caught.value.hint


def test_until_works_through_export():
    class Net(Looping):
        def forward(self, x):
            return self.norm(super().forward(x))

    network = from_torch(Net(), example_input=torch.zeros(1, 4), until="norm")
    assert len(network.layers) == 2
    with pytest.raises(UnsupportedLayer, match=r"layer 4 \('norm'\) is LayerNorm, which is not piecewise linear"):
        from_torch(Net(), example_input=torch.zeros(1, 4))


def test_branches_on_values_are_refused_with_both_reasons():
    class Net(nn.Module):
        def forward(self, x):
            return x if x.sum() > 0 else -x

    with pytest.raises(UnsupportedLayer, match=r"torch.fx says.*torch.export says"):
        from_torch(Net(), example_input=torch.zeros(1, 4))


@pytest.mark.parametrize(
    ("layer", "kind"),
    [
        (nn.LayerNorm(8), "LayerNorm"),
        (nn.GELU(), "GELU"),
        (nn.Sigmoid(), "Sigmoid"),
        (nn.Tanh(), "Tanh"),
        (nn.Softmax(1), "Softmax"),
        (nn.SiLU(), "SiLU"),
        (nn.GroupNorm(2, 8), "GroupNorm"),
        (nn.TransformerEncoderLayer(8, 2), "TransformerEncoderLayer"),
    ],
)
def test_curved_layers_are_refused_by_name(layer, kind):
    module = nn.Sequential(nn.Linear(3, 8), nn.Sequential(layer)).eval()
    with pytest.raises(UnsupportedLayer, match=rf"layer 1 \('1.0'\) is {kind}, which is not piecewise linear") as caught:
        from_torch(module)
    between = "; or take a network below and one above it: plica.sandwich(model)"
    smooth = kind in ("GELU", "Sigmoid", "Tanh", "SiLU")
    assert caught.value.hint == "decompose the part before it: plica.from_torch(model, until='1.0')" + between * smooth
    assert caught.value.exit_code == 4


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x * x, "multiplies two activations"),
        (lambda x: x @ x.transpose(0, 1), "batch axis"),
        (lambda x: x / x.abs(), "divides by an activation"),
        (lambda x: 1 / x, "divides by an activation"),
        (lambda x: x**2, "is pow"),
        (lambda x: torch.exp(x), "is exp"),
        (lambda x: torch.where(x > 0, x, 0 * x), "is gt"),
        (lambda x: x.mean(0), "across the batch"),
        (lambda x: x[0], "entries of the batch"),
        (lambda x: x.flatten(), "mixes the batch"),
        (lambda x: x.view(-1, 2), "mixes the batch"),
        (lambda x: x.argmax(1), "is argmax"),
        (lambda x: x * x.max(1)[1].unsqueeze(1), "positions of a maximum"),
        (lambda x: F.threshold(x, 0.0, 1.0), "jumps from 1.0 to 0.0"),
        (lambda x: F.dropout(x, 0.5, training=True), "train mode"),
        (lambda x: x + torch.randn_like(x), "is randn_like"),
        (lambda x: x / 0, "divides by zero"),
        (lambda x: x.long() + x, "is long"),
        (lambda x: x.to(torch.int64) + x, "casts to torch.int64"),
        (lambda x: F.interpolate(x[:, None, None], size=(3, 4), mode="bilinear", antialias=True), "smooths before it samples"),
        (lambda x: x.unsqueeze(0), "before the batch"),
    ],
)
def test_operations_that_have_no_geometry_are_refused(function, message):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(3, 4)

        def forward(self, x):
            return function(self.lin(x))

    with pytest.raises(UnsupportedLayer, match=message):
        from_torch(Net())


def test_a_module_that_draws_numbers_is_refused():
    class Net(nn.Module):
        def forward(self, x):
            return x + torch.randn(3)

    state = torch.get_rng_state()
    with pytest.raises(UnsupportedLayer, match="random numbers"):
        from_torch(Net(), example_input=torch.zeros(1, 3))
    assert torch.equal(state, torch.get_rng_state())


def test_a_view_changed_in_place_is_refused_when_the_original_is_read():
    class Net(nn.Module):
        def forward(self, x):
            y = x * 2.0
            y.view(-1, 3).relu_()
            return y

    with pytest.raises(UnsupportedLayer, match="changed in place through another view"):
        from_torch(Net(), example_input=torch.zeros(1, 3))


@pytest.mark.parametrize("layer", [nn.Dropout(0.1), nn.BatchNorm1d(8), nn.RReLU()])
def test_train_mode_is_refused_where_it_matters(layer):
    module = nn.Sequential(nn.Linear(3, 8), layer, nn.ReLU())
    with pytest.raises(InvalidNetwork, match="train mode, and '1'") as caught:
        from_torch(module)
    assert "model.eval()" in caught.value.hint
    from_torch(module.eval())


def test_train_mode_is_fine_where_it_changes_nothing():
    module = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.0), nn.ReLU())
    assert module.training
    assert from_torch(module).widths == (3, 8, 8)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_weights_that_are_not_finite_are_refused_with_their_place(value):
    module = mlp()
    with torch.no_grad():
        module[2].weight[4, 5] = value
    with pytest.raises(InvalidNetwork, match=r"'2.weight' is .* at index \(4, 5\)"):
        from_torch(module)


def test_a_buffer_that_is_not_finite_is_refused():
    module = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).eval()
    module[1].running_var[2] = float("nan")
    with pytest.raises(InvalidNetwork, match=r"'1.running_var'"):
        from_torch(module)


def test_a_batch_norm_with_negative_variance_is_refused():
    module = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).eval()
    module[1].running_var[2] = -1.0
    with pytest.raises(InvalidNetwork, match=r"factor of layer '1' is nan at index \(2,\)"):
        from_torch(module)


def test_a_factor_that_overflows_is_refused():
    class Net(nn.Module):
        def forward(self, x):
            return x / 1e-320

    with pytest.raises(InvalidNetwork, match="is inf"):
        from_torch(Net(), example_input=torch.zeros(1, 3))


def test_complex_weights_are_refused():
    with pytest.raises(InvalidNetwork, match="complex"):
        from_torch(nn.Linear(2, 2, dtype=torch.complex64))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_quantized_layers_are_refused():
    with pytest.raises(InvalidNetwork, match="'0' is a quantized Linear"):
        from_torch(nn.Sequential(torch.ao.nn.quantized.dynamic.Linear(3, 4), nn.ReLU()).eval())


def test_meta_weights_are_refused():
    with pytest.raises(InvalidNetwork, match="meta device"):
        from_torch(nn.Linear(2, 2, device="meta"))


@pytest.mark.filterwarnings("ignore:Lazy modules")
def test_lazy_modules_are_refused_until_they_have_weights():
    module = nn.Sequential(nn.LazyLinear(4), nn.ReLU())
    with pytest.raises(InvalidNetwork, match="LazyLinear, whose weights do not exist yet"):
        from_torch(module)
    module(torch.zeros(1, 3))
    assert from_torch(module).input_shape == (3,)


def test_parametrized_weights_are_read():
    module = nn.Sequential(parametrizations.weight_norm(nn.Linear(3, 4)), nn.ReLU()).eval()
    assert_same_function(from_torch(module), module, (3,), tolerance=1e-6)  # the norm is computed in float32


def test_hooks_are_refused():
    module = mlp()
    module[2].register_forward_hook(lambda m, x, y: 2 * y)
    with pytest.raises(UnsupportedLayer, match="forward hooks"):
        from_torch(module)


def test_a_subclass_with_its_own_forward_is_read_by_its_code():
    class Doubled(nn.Linear):
        def forward(self, x):
            return 2 * super().forward(x)

    module = nn.Sequential(Doubled(3, 4), nn.ReLU())
    assert_same_function(from_torch(module), module, (3,))


def test_default_arguments_are_kept():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(3, 4)

        def forward(self, x, mask=None, double=True):
            y = self.lin(x)
            if mask is not None:
                y = y * mask
            return 2 * y if double else y

    module = Net()
    assert_same_function(from_torch(module), module, (3,))


def test_unused_catch_all_arguments_are_ignored():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(3, 4)

        def forward(self, x, *args, **kwargs):
            return self.lin(input=x).relu()

    module = Net()
    assert_same_function(from_torch(module), module, (3,))


def test_mistakes_of_the_code_are_told_with_their_layer():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(3, 4)

        def forward(self, x):
            return F.pixel_shuffle(self.lin(x), 2) * x.shape.nonsense()

    with pytest.raises(UnsupportedLayer, match=r"\('pixel_shuffle'\).*2 x 2 pixels|\('nonsense'\).*fails"):
        from_torch(Net())


def test_one_of_several_outputs_is_chosen():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(3, 4), nn.Linear(3, 2)

        def forward(self, x):
            return torch.relu(self.a(x)), {"logits": self.b(x), "twice": self.b(x) * 2}

    module = Net()
    with pytest.raises(InvalidNetwork, match="returns 3 tensors"):
        from_torch(module)
    assert from_torch(module, output=0).output_shape == (4,)
    x = torch.randn(2, 3)
    found = from_torch(module, output=(1, "logits"))(x.numpy())
    assert np.abs(found - module(x)[1]["logits"].detach().numpy()).max() < 1e-6
    for wrong in (5, "nothing", (0, 0), 1):
        with pytest.raises((InvalidInput, InvalidNetwork)):
            from_torch(module, output=wrong)


def test_several_inputs_may_be_given_but_one():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Linear(3, 4)

        def forward(self, time, x, *, scale=2.0):
            return torch.relu(self.a(x)) * scale + torch.relu(time)

    module, time = Net(), torch.randn(1, 4)
    network = from_torch(module, fixed={"time": time})
    x = torch.randn(5, 3)
    assert np.abs(network(x.numpy()) - module(time, x).detach().numpy()).max() < 1e-6
    with pytest.raises(InvalidInput, match="no input 'nothing'"):
        from_torch(module, fixed={"nothing": time})


def test_several_inputs_are_refused():
    class Net(nn.Module):
        def forward(self, x, y):
            return x + y

    with pytest.raises(InvalidInput, match="takes 2 inputs"):
        from_torch(Net(), example_input=torch.zeros(1, 3))


def test_several_outputs_are_refused():
    class Net(nn.Module):
        def forward(self, x):
            return x, x.relu()

    with pytest.raises(InvalidNetwork, match="returns 2 tensors"):
        from_torch(Net(), example_input=torch.zeros(1, 3))


def test_one_output_in_a_dict_is_taken():
    class Net(nn.Module):
        def forward(self, x):
            return {"logits": x.relu()}

    assert from_torch(Net(), example_input=torch.zeros(1, 3)).widths == (3, 3, 3)


def test_what_is_not_a_module_is_refused():
    with pytest.raises(InvalidInput, match=r"takes a torch.nn.Module, got OrderedDict"):
        from_torch(mlp().state_dict())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_torchscript_is_refused():
    with pytest.raises(UnsupportedLayer, match="TorchScript"):
        from_torch(torch.jit.trace(mlp(), torch.zeros(1, 3)))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_data_parallel_and_compiled_modules_are_unwrapped():
    module = mlp()
    assert_same_function(from_torch(nn.DataParallel(module)), module, (3,))
    assert_same_function(from_torch(torch.compile(module)), module, (3,))


def test_dead_code_is_not_looked_at():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(3, 4)

        def forward(self, x):
            y = self.lin(x)
            torch.softmax(y, 1)
            return y.relu()

    assert from_torch(Net()).widths == (3, 4, 4)


def test_zero_padding_by_an_expression_of_sizes():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(3, 4)

        def forward(self, x):
            b, n = x.shape
            return self.lin(x).view(b, 2, n - 1).relu()

    assert from_torch(Net()).output_shape == (2, 2)
