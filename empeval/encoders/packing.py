"""Linear layers with their weights laid out for the processor, which oneDNN multiplies faster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

__all__ = ["can_pack", "pack"]

#: How many rows the layout is made for; others work too.
_ROWS = 2048


#: Those that torch's own compiler makes use of; they have no public name.
_OPERATORS = ("_linear_pointwise", "_reorder_linear_weight", "_is_mkldnn_bf16_supported")


def can_pack(*, bf16: bool) -> bool:
    """Whether this torch and processor have packed linear layers of the number format."""
    import torch

    backend: Any = torch.backends.mkldnn
    if not backend.is_available() or not all(hasattr(torch.ops.mkldnn, name) for name in _OPERATORS):
        return False
    return not bf16 or bool(_operator("_is_mkldnn_bf16_supported")())


def pack(network: Any, *, bf16: bool) -> None:
    """Replace the linear layers of a network, in place, by packed ones of the same function.

    With ``bf16`` products are taken of bfloat16 numbers, while what a layer adds up and normalises stays in
    single precision. An exact GELU right after a layer becomes part of it.
    """
    import torch

    multiply, layout = _operator("_linear_pointwise"), _operator("_reorder_linear_weight")

    last: list[torch.Tensor] = []

    def cast(input: torch.Tensor) -> torch.Tensor:
        """The input in bfloat16; queries, keys and values have one input, which is cast once."""
        if not last or last[0] is not input:
            last[:] = [input, input.to(torch.bfloat16)]
        return last[1]

    class Packed(torch.nn.Module):
        """A linear layer, and the function after it, as one operation."""

        def __init__(self, linear: torch.nn.Linear, after: str) -> None:
            super().__init__()
            bias: torch.Tensor | None = getattr(linear, "bias", None)
            self.number = torch.bfloat16 if bf16 else torch.float32
            # some networks ask a layer for the number format of its weight
            self.weight = torch.empty(0, dtype=self.number)
            self.bias = bias if bias is None else bias.detach().to(self.number)
            self.packed = layout(linear.weight.detach().to(self.number).contiguous(), _ROWS)
            self.after, self.kind = after, "none" if after == "gelu" else ""

        def forward(self, input: torch.Tensor) -> torch.Tensor:
            """Rows (…, n_in) → (…, n_out)."""
            given = input if input.dtype == self.number else cast(input)
            found: torch.Tensor = multiply(given, self.packed, self.bias, self.after, [], self.kind)
            return found

    for module in list(network.modules()):
        for name, child in list(module.named_children()):
            if type(child) is torch.nn.Linear:
                # BERT and its kin name the function after their widest layer so
                fused = name == "dense" and _is_exact_gelu(getattr(module, "intermediate_act_fn", None))
                setattr(module, name, Packed(child, "gelu" if fused else "none"))
                if fused:
                    module.intermediate_act_fn = torch.nn.Identity()


def _is_exact_gelu(function: object) -> bool:
    return (
        type(function).__name__ in ("GELU", "GELUActivation")
        and getattr(function, "approximate", "none") == "none"
    )


def _operator(name: str) -> Any:
    import torch

    return getattr(torch.ops.mkldnn, name)
