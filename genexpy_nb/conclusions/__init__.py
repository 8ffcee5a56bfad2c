"""What would another study conclude? How far two independent studies agree in winners, orders and verdicts.

What is here is loaded when it is first used; ``__init__.pyi`` says what there is.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
