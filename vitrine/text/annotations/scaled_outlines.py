"""Outlines on a canvas of another size, without a reader of XML: publishing has none."""

SPACE = "http://www.w3.org/2000/svg"
_END = "</svg>"


def scale_outline(svg: str, across: float, down: float) -> str:
    """Return an outline that `read_outline` wrote for a canvas of another size."""
    if across == down == 1 or not svg.endswith(_END):
        return svg
    # No attribute that it keeps has this sign.
    shapes = svg.removesuffix(_END).partition(">")[2]
    scale = f"scale({across:g} {down:g})"
    return f'<svg xmlns="{SPACE}"><g transform="{scale}">{shapes}</g>{_END}'
