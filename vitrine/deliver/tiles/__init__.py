"""Stored tiles: recognised by their address, and served undecoded as complete JPEGs."""

from vitrine.deliver.tiles.position import TilePosition, tile_position

__all__ = ["TilePosition", "tile_position"]
