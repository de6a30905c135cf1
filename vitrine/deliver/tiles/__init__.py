"""Stored tiles: recognised by their address, given out undecoded as JPEGs that stand alone."""

from vitrine.deliver.tiles.position import TilePosition, tile_position

__all__ = ["TilePosition", "tile_position"]
