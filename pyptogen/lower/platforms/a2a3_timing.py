"""Times of Ascend A2/A3. `docs/twin.md` shows how well they explain what was measured.

Sources. `arch_config`: public pto-isa (GiB/s, over 1.85 GHz). `vector fit`: its measured fit of vector instructions
(cycles = slope · elements + bias), as cycles for 256 bytes and what is left. `fitted`: to the rows of published kernels
that may be fitted to: GEMM 3072³ and 6144³, the convolution of [4, 16, 12, 64, 16], top-k of 4800 fp32 rows, flash
attention of 2048 and 8192 keys. Rows that judge were not looked at.
"""

from pyptogen.lower.platforms.timing import Figure, Timing, VectorFigures

_FIT = "pto-isa, vector fit (910B3)"


def _vector(repeat: float, fixed: float, source: str = _FIT) -> VectorFigures:
    return VectorFigures(Figure(repeat, source), Figure(fixed, source))


_TWO_OPERANDS = _vector(2.0, 25.0)
_SCALAR_OPERAND = _vector(1.0, 25.0)
_REDUCTION = VectorFigures(
    Figure(1.3, f"{_FIT}, fp32 at 64 to 336 columns, fp16 at 128 to 656"),
    Figure(44.0, f"{_FIT}, TROWSUM at 64 columns"),
    row=Figure(7.0, f"{_FIT}, at 8 to 64 columns of fp32"),
    step=Figure(16.0, f"{_FIT}, biases at 64 to 336 columns"),
    strided=Figure(8.2, "pto-isa, performance simulation: TROWMAX of 4 x 4096 takes 2,090 cycles"),
    whole=Figure(1.0, "guess: as an instruction of a tile and a number"),
)
_BY_COLUMN = VectorFigures(
    Figure(1.7, f"{_FIT}, TCOLSUM at 64 to 336 columns of fp32, 128 to 656 of fp16"),
    Figure(30.0, f"{_FIT}, biases at 64 to 336 columns, 15 to 36"),
    row=Figure(19.5, f"{_FIT}, at 64 columns"),
)
_EXPAND = VectorFigures(
    Figure(1.0, f"{_FIT}, fp32 at 64 to 128 columns, fp16 at 128 to 192"),
    Figure(37.0, _FIT),
    row=Figure(14.0, f"{_FIT}, at 8 to 64 columns of fp32"),
)
_EXPAND_AND = VectorFigures(
    Figure(2.0, "guess: as the instruction of two tiles that it ends with"),
    Figure(45.0, "guess: the same, and one that broadcasts the column"),
)

TIMING_A2A3 = Timing(
    issue=Figure(10.0, "guess: a few scalar instructions that make the arguments"),
    flag=Figure(20.0, "guess"),
    cross_core=Figure(250.0, "guess: a flag that goes through the chip's synchronisation unit"),
    barrier=Figure(5.0, "guess"),
    load={
        "Vec": Figure(58.6, "arch_config, 100.9 GiB/s"),
        "Mat": Figure(90.0, "fitted: TLOAD busy of GEMM 3072, 6144 and the convolution; arch_config has 78.4"),
    },
    store={
        "Vec": Figure(109.4, "arch_config, 188.5 GiB/s"),
        "Acc": Figure(72.5, "fitted: TSTORE busy of GEMM and the convolution; arch_config has 40.6"),
    },
    load_latency=Figure(140.0, "fitted: TLOAD busy of GEMM and the convolution"),
    store_latency={
        "Vec": Figure(545.0, "fitted: mte3 busy of top-k"),
        "Acc": Figure(20.0, "fitted: TSTORE busy of GEMM and the convolution"),
    },
    settle=Figure(1300.0, "fitted: time of GEMM 3072 and 6144 outside of TLOAD, 1.48 us a tile"),
    cold_latency=Figure(1100.0, "fitted: mte2 busy of top-k, whose rows are read once"),
    burst=Figure(4.0, "guess: a burst of a few bytes takes as long as one of 256"),
    hbm=Figure(865.0, "public data sheets of the 910B, 1.6 TB/s; TLOAD busy of GEMM 3072 and 6144 allows 937"),
    l2=Figure(2800.0, "guess: more than the loads and stores of GEMM 6144, which it does not hold up; 5.2 TB/s"),
    l2_bytes=Figure(192 << 20, "public data sheets of the 910B"),
    operand={
        "Left": Figure(256.0, "arch_config, 441 GiB/s"),
        "Right": Figure(128.0, "arch_config, 220.5 GiB/s"),
        "Acc": Figure(74.3, "arch_config, L0C to L1, 128 GiB/s"),
    },
    operand_issue=Figure(10.5, "fitted: TEXTRACT busy of GEMM and the convolution"),
    products={
        "fp16": Figure(4096.0, "public data sheets: 16 x 16 x 16 a cycle"),
        "int8": Figure(8192.0, "public data sheets: 16 x 16 x 32 a cycle"),
        "fp32": Figure(1024.0, "hardware facts: a quarter of fp16"),
    },
    matmul_issue=Figure(12.4, "fitted: TMATMUL busy of GEMM 3072 and 6144"),
    vector={
        "default": _TWO_OPERANDS,
        **dict.fromkeys(("TADDS", "TSUBS", "TMULS", "TMINS", "TMAXS", "TABS", "TNEG", "TRELU", "TEXPANDS", "TMOV"),
                        _SCALAR_OPERAND),
        "TCVT": _vector(1.0, 32.0, "pto-isa, cost model of vconv: head 14, tail 18"),
        "TEXP": _vector(2.0, 30.1), "TSQRT": _vector(2.0, 31.1), "TLOG": _vector(2.0, 31.0, "guess: as TEXP"),
        "TRSQRT": _vector(2.0, 31.0, "guess: as TSQRT"), "TRECIP": _vector(2.0, 31.0, "guess: as TSQRT"),
        "TDIV": _vector(5.0, 45.0, "guess: as TDIVS"), "TDIVS": _vector(5.0, 45.0),
        **dict.fromkeys(("TROWMAX", "TROWMIN", "TROWSUM", "TROWPROD", "TROWARGMAX", "TROWARGMIN"), _REDUCTION),
        **dict.fromkeys(("TCOLMAX", "TCOLMIN", "TCOLSUM", "TCOLPROD", "TCOLEXPAND"), _BY_COLUMN),
        "TROWEXPAND": _EXPAND,
        **dict.fromkeys(("TROWEXPANDSUB", "TROWEXPANDADD", "TROWEXPANDMUL", "TROWEXPANDMAX", "TROWEXPANDMIN"),
                        _EXPAND_AND),
        "TROWEXPANDDIV": VectorFigures(Figure(5.0, "guess: as TDIVS"), _EXPAND_AND.fixed),
        "TGATHER": _vector(2.0, 25.0, "guess: as an instruction of two tiles, where a pattern says what to take"),
        "TTRANS": _vector(8.0, 30.0, "guess: 16 x 16 elements at a time"),
    },
    sort=Figure(2.0, "pto-isa, cost model of vbitsort"),
    merge=Figure(1.67, "fitted: vec busy of top-k; pto-isa has 0.61, vmrgsort4 of 4 x 32 pairs in 78 cycles"),
    scalar_load=Figure(700.0, "guess: the latency of GM"),
    scalar_hit=Figure(8.0, "guess: a load from a cache beside the scalar unit"),
    scalar_line=Figure(64.0, "CANN 8.5, Ascend C guide: lines of the scalar unit's data cache"),
    launch=Figure(18100.0, "fitted: least squares of the relative errors of all rows F, after all others; 9.8 us"),
    block=Figure(0.0, "guess"),
    task=Figure(1390.0, "0.6 to 0.9 us a task on silicon (simpler)"),
)  # fmt: skip
