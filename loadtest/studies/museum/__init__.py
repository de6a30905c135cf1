"""The museum's comparison of image servers: twelve rows, for each server named, in turns.

Source: Getty, Common Image Service, Research & Design Report (2019), 3.2.3 to 3.2.5, appendix 2.
"""
