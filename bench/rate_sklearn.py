#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The judge of bench_rate: scikit-learn's classifiers on the same features,
bins and folds.

    bench_rate DATASET DAYS --export FILE && rate_sklearn.py FILE

Needs Debian's python3-sklearn. Naive Bayes is CategoricalNB over words and 32
quantiles of each number, and GaussianNB over numbers joined with it for
comparison; the tree is DecisionTreeClassifier over word codes and numbers
(scikit-learn knows no multiway splits), unpruned and with the pruning that
gives it the best result on these very folds.
"""
import sys

import numpy as np
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

ONLINE = 14


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        head = f.readline().rstrip("\n").split("\t")
        rows = [line.rstrip("\n").split("\t") for line in f]
    fold = np.array([int(r[0]) for r in rows])
    bins = np.array([int(r[1]) for r in rows])
    columns = []
    for i, name in enumerate(head[2:], 2):
        values = [r[i] for r in rows]
        if name.startswith("w:"):
            codes = OrdinalEncoder().fit_transform(np.array(values, dtype=object)[:, None])[:, 0]
            columns.append(("w", codes))
        else:
            columns.append(("n", np.array([float(v) for v in values])))
    return fold, bins, columns


def bayes(columns, bins, train, test, gaussian):
    """ln P(class | row) up to a constant: one classifier per kind of column."""
    words = [c for kind, c in columns if kind == "w"]
    numbers = [c for kind, c in columns if kind == "n"]
    total = 0
    if gaussian:
        model = GaussianNB().fit(np.column_stack(numbers)[train], bins[train])
        total = model.predict_joint_log_proba(np.column_stack(numbers)[test]) - np.log(model.class_prior_)
    else:
        import warnings
        warnings.simplefilter("ignore")
        cut = KBinsDiscretizer(32, encode="ordinal", strategy="quantile", subsample=None)
        matrix = np.column_stack(numbers)
        cut.fit(matrix[train])
        words = words + list(cut.transform(matrix).T)
    matrix = np.column_stack(words).astype(int)
    model = CategoricalNB(min_categories=matrix.max(axis=0) + 1).fit(matrix[train], bins[train])
    total = total + model.predict_joint_log_proba(matrix[test])
    return model.classes_[total.argmax(axis=1)]


def tree(columns, bins, train, test, **options):
    matrix = np.column_stack([c for _, c in columns])
    model = DecisionTreeClassifier(random_state=1, **options).fit(matrix[train], bins[train])
    return model.predict(matrix[test])


def accuracy(fold, bins, ask):
    right = 0
    for f in range(fold.max() + 1):
        test = fold == f
        right += (ask(~test, test) == bins[test]).sum()
    return 100 * right / len(bins)


def main():
    for path in sys.argv[1:]:
        fold, bins, columns = read(path)
        for name, some in (("online", columns[:ONLINE]), ("offline", columns)):
            print(path, name, "naive-bayes",
                  "%.1f" % accuracy(fold, bins, lambda a, b: bayes(some, bins, a, b, False)),
                  "gaussian %.1f" % accuracy(fold, bins, lambda a, b: bayes(some, bins, a, b, True)),
                  "tree %.1f" % accuracy(fold, bins, lambda a, b: tree(some, bins, a, b)),
                  "entropy-leaf2 %.1f" % accuracy(
                      fold, bins, lambda a, b: tree(some, bins, a, b, criterion="entropy", min_samples_leaf=2)),
                  "pruned %.1f" % max(
                      accuracy(fold, bins, lambda a, b: tree(some, bins, a, b, ccp_alpha=alpha))
                      for alpha in (1e-5, 3e-5, 1e-4, 3e-4)),
                  sep="\t", flush=True)


main()
