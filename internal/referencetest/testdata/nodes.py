"""Makes nodes.json.gz: inputs, attributes and outputs of ONNX's tests of nodes.

  pip install onnx==1.23.2 numpy==2.4.6
  python nodes.py

A case is a graph of one node of an operator in OPERATORS. Data are in base64, as in memory. A case
that has more bytes of JSON than LARGEST is left out, and listed without data.
"""
import base64
import gzip
import json
import pathlib
import warnings

import numpy
import onnx
from onnx import helper
from onnx.backend.test.case.node import collect_testcases

warnings.simplefilter("ignore")

OPERATORS = """
AffineGrid ArgMax ArgMin AveragePool BlackmanWindow Compress Conv CumProd CumSum DFT Det Einsum Gemm
GlobalAveragePool GlobalMaxPool GridSample HammingWindow HannWindow Hardmax LpNormalization MatMul
MatMulInteger MaxPool MeanVarianceNormalization NonZero ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax
ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Resize STFT TopK Transpose Unique Upsample
""".split()
LARGEST = 20_000


def tensor(value):
    a = numpy.asarray(value)
    return {"type": a.dtype.name, "shape": a.shape, "data": base64.b64encode(numpy.ascontiguousarray(a).tobytes()).decode()}


def attribute(a):
    value = helper.get_attribute_value(a)
    return value.decode() if isinstance(value, bytes) else value


cases = []
for case in collect_testcases(None):
    graph = case.model.graph
    if len(graph.node) != 1 or graph.node[0].op_type not in OPERATORS:
        continue
    node = graph.node[0]
    (inputs, outputs), = case.data_sets
    given = iter(inputs)
    row = {
        "name": case.name.removeprefix("test_"),
        "operator": node.op_type,
        "attributes": {a.name: attribute(a) for a in node.attribute},
        "inputs": [tensor(next(given)) if name else None for name in node.input],
        "outputs": [tensor(o) for o in outputs],
    }
    if len(json.dumps(row)) > LARGEST:
        row["inputs"] = row["outputs"] = None
    cases.append(row)

assert {c["operator"] for c in cases} == set(OPERATORS)
cases.sort(key=lambda c: c["name"])
text = json.dumps({"versions": {"onnx": onnx.__version__, "numpy": numpy.__version__}, "cases": cases}, separators=(",", ":"))
data = gzip.compress(text.encode(), compresslevel=9, mtime=0)
pathlib.Path(__file__).with_name("nodes.json.gz").write_bytes(data)
print(len(cases), "cases,", sum(c["inputs"] is None for c in cases), "too large,", len(data), "bytes")
