"""The sums behind Coach's skills: what was done, in which units, how well, and what comes next.

Pure: nothing here knows a store, a clock or a language model.
"""
