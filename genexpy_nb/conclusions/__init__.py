"""What would another study conclude? How far two independent studies agree in winners, orders and verdicts.

Arrays in; people ask a `genexpy_nb.Study`.
"""
