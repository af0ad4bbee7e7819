"""Balance: the largest subset of a benchmark in which length tells nothing, and which rows to rewrite first.

`problem` says what balanced means, `solver` finds the subset, `rewriting` the rows; these three are
pure. `rows` reads the classes off an audit's narrow rows and names the rows that were chosen, `files`
copies those out of the released files, `reports` prints, and `work` leads through it.
"""
