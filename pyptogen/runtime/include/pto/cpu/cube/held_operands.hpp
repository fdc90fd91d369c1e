// Putting off what TLOAD, TEXTRACT and TMATMUL do with operands in Mat tiles, and doing it after all.
#pragma once

#include <pto/cpu/core/amx.hpp>
#include <pto/cpu/cube/held_panels.hpp>

namespace pto::cpu {

/// Element types whose products wait.
template <typename T>
inline constexpr bool is_held_type = kHolds && (is_same<T, bfloat16_t> || is_same<T, int8_t>);

/// A Mat tile whose elements may be elsewhere.
template <typename Tile>
PTO_INLINE MatShape mat_shape(Tile& tile)
{
    return {reinterpret_cast<const char*>(tile.address()), Tile::Rows, Tile::Cols, sizeof(typename Tile::DType)};
}

#if !defined(PTO_CPU_HOLDS)

bool hold_mat(const MatShape& shape, const char* from, int64_t stride);
bool hold_operand(
    const MatShape& shape, bool right, int64_t first_line, int64_t first_depth, int64_t lines, int64_t depth,
    char* tile, int64_t panel);
bool hold_product(TilePlan plan, void (*run)(const TilePlan&));

#elif defined(PTO_CPU_BODIES_APART)

PTO_CPU_SHARED bool hold_mat(const MatShape& shape, const char* from, int64_t stride);
PTO_CPU_SHARED bool hold_operand(
    const MatShape& shape, bool right, int64_t first_line, int64_t first_depth, int64_t lines, int64_t depth,
    char* tile, int64_t panel);
PTO_CPU_SHARED bool hold_product(TilePlan plan, void (*run)(const TilePlan&));

#else

constexpr int64_t slot_panel(const MatShape& shape, bool right)
{
    return (right ? shape.rows : shape.cols) * int64_t(shape.size) / 64 * kPanelStep;
}
PTO_INLINE char* slot_address(int slot)
{
    return core_state().memory + CorePools::kHeldAt + slot * (CorePools::kHeldSlot + CorePools::kSkew);
}
PTO_INLINE bool overlap(const char* begin, const char* end, const char* other, const char* other_end)
{
    return begin < other_end && other < end;
}
PTO_INLINE const char* end_of(const MatShape& shape)
{
    return shape.tile + int64_t(shape.rows) * shape.cols * shape.size;
}
PTO_INLINE const char* end_of(const HeldOperand& view) { return view.tile + (view.lines + 31) / 32 * view.panel; }

/// Computes the product that is waiting, if there is one.
PTO_CPU_SHARED void compute_pending(HeldState& held)
{
    const HeldProduct pending = held.pending;
    held.pending.run = nullptr;
    held.product = false;
    if (pending.run != nullptr) {
        pending.run(pending.plan);
    }
}

/// Copies an operand to its tile.
PTO_CPU_SHARED __attribute__((cold)) void write_operand(HeldState& held, HeldOperand& view)
{
    PTO_CPU_ROLLED
    for (int line = 0; line < view.lines; line += view.right ? 16 : 1) {  // 16 columns lie together
        const int64_t inside = (line >> 4 & 1) * kFragment + (view.right ? 0 : (line & 15) * 64);
        char* to = view.tile + (line >> 5) * view.panel + inside;
        const char* from = view.from + (line >> 5) * view.from_panel + inside;
        PTO_CPU_ROLLED
        for (int step = 0; step < view.steps; ++step) {
            __builtin_memcpy(to + step * kPanelStep, from + step * kPanelStep, view.right ? kFragment : 64);
        }
    }
    view.tile = nullptr;
    held.operands = false;
    PTO_CPU_ROLLED
    for (const HeldOperand& other : held.views) {
        held.operands |= other.tile != nullptr;
    }
}

/// Gives a Mat tile up, whose elements are nowhere else, or writes them where they belong first.
PTO_CPU_SHARED __attribute__((cold)) void give_up(HeldState& held, HeldMat& mat, bool write)
{
    const MatShape& shape = mat.shape;
    char* to = const_cast<char*>(shape.tile);
    if (write) {
        constexpr int kRest = 16;
        mat.loads_to_rest = kRest;
        const char* from = slot_address(mat.slot);
        const int64_t panel = slot_panel(shape, mat.right);
        if (!mat.right) {
            unpack_left(to, shape.rows, from, panel, int64_t(shape.cols) * shape.size);
        } else if (shape.size == 1) {
            unpack_right(reinterpret_cast<uint8_t*>(to), shape.rows, from, panel, shape.cols);
        } else {
            unpack_right(reinterpret_cast<uint16_t*>(to), shape.rows, from, panel, shape.cols);
        }
    }
    mat.slot = -1;
    held.mat = false;
    PTO_CPU_ROLLED
    for (const HeldMat& other : held.mats) {
        held.mat |= other.slot >= 0;
    }
}

/// What HeldState::settle is: all that concerns [begin, end) of a memory goes where it belongs.
PTO_CPU_SHARED __attribute__((cold)) void settle_region(TileType loc, const char* begin, const char* end)
{
    HeldState& held = thread_held;
    if (loc == TileType::Mat) {
        PTO_CPU_ROLLED
        for (HeldMat& mat : held.mats) {
            if (mat.slot >= 0 && overlap(begin, end, mat.shape.tile, end_of(mat.shape))) {
                give_up(held, mat, true);
            }
        }
    } else if (loc == TileType::Acc) {
        const TilePlan& plan = held.pending.plan;
        if (overlap(begin, end, plan.c, plan.c + (plan.m + 31) / 32 * plan.c_panel)) {
            compute_pending(held);
        }
    } else {
        PTO_CPU_ROLLED
        for (HeldOperand& view : held.views) {
            if (view.tile != nullptr && overlap(begin, end, view.tile, end_of(view))) {
                write_operand(held, view);
            }
        }
    }
}

PTO_CPU_SHARED HeldMat* known_mat(HeldState& held, const MatShape& shape)
{
    PTO_CPU_ROLLED
    for (HeldMat& mat : held.mats) {
        if (mat.shape.tile == shape.tile && mat.shape.rows == shape.rows && mat.shape.cols == shape.cols &&
            mat.shape.size == shape.size) {
            return &mat;
        }
    }
    return nullptr;
}

/// A slot that nobody reads; one is made free if there is none. `own` is the first choice unless it is -1.
PTO_CPU_SHARED int free_slot(HeldState& held, int own)
{
    const auto is_read = [&](int slot) {
        bool read = held.product && (held.pending.a_slot == slot || held.pending.b_slot == slot);
        PTO_CPU_ROLLED
        for (const HeldOperand& view : held.views) {
            read |= view.tile != nullptr && view.slot == slot;
        }
        return read;
    };
    if (own >= 0 && !is_read(own)) {
        return own;
    }
    uint32_t taken = 0;
    PTO_CPU_ROLLED
    for (const HeldMat& mat : held.mats) {
        taken |= mat.slot >= 0 ? 1U << mat.slot : 0;
    }
    PTO_CPU_ROLLED
    for (int slot = 0; slot < CorePools::kHeldSlots; ++slot) {
        if ((taken >> slot & 1) == 0 && !is_read(slot)) {
            return slot;
        }
    }
    return -1;
}

/// TLOAD of a whole Mat tile from rows `stride` bytes apart; false, and nothing done, when it is not known what for.
PTO_CPU_SHARED bool hold_mat(const MatShape& shape, const char* from, int64_t stride)
{
    HeldState& held = thread_held;
    HeldMat* mat = known_mat(held, shape);
    if (mat == nullptr || mat->loads_to_rest > 0) {
        if (mat != nullptr) {
            --mat->loads_to_rest;
        }
        return false;
    }
    const int slot = free_slot(held, mat->slot);
    if (slot < 0) {
        return false;
    }
    PTO_CPU_ROLLED
    for (HeldMat& other : held.mats) {
        const char* begin = other.shape.tile;
        const char* end = end_of(other.shape);
        if (other.slot >= 0 && &other != mat && overlap(shape.tile, end_of(shape), begin, end)) {
            give_up(held, other, begin < shape.tile || end > end_of(shape));
        }
    }
    const int64_t panel = slot_panel(shape, mat->right);
    if (mat->right) {
        pack_right_lines(slot_address(slot), panel, from, stride, shape.rows, shape.cols, shape.size);
    } else {
        pack_left_lines(slot_address(slot), panel, from, stride, shape.rows, int64_t(shape.cols) * shape.size);
    }
    mat->slot = slot;
    held.mat = true;
    held.settle = settle_region;
    return true;
}

/// Remembers which operand a Mat tile is moved to, if it could have been packed for that at once.
PTO_CPU_SHARED __attribute__((cold)) void note_use(HeldState& held, const MatShape& shape, bool right)
{
    const char* pool = core_state().memory + CorePools::kMatAt;
    const int64_t bytes = end_of(shape) - shape.tile;
    const bool fits = right ? shape.rows * shape.size % 64 == 0 && shape.cols % 32 == 0
                            : shape.rows % 32 == 0 && shape.cols * shape.size % 64 == 0;
    if (!fits || bytes > static_cast<int64_t>(CorePools::kHeldSlot) || core_state().memory == nullptr ||
        shape.tile < pool || end_of(shape) > pool + kCpu.mat || !amx_permitted()) {
        return;
    }
    HeldMat* mat = known_mat(held, shape);
    PTO_CPU_ROLLED
    for (int i = 0; mat == nullptr && i < HeldState::kMats; ++i) {
        HeldMat& next = held.mats[held.next_mat];
        held.next_mat = (held.next_mat + 1) % HeldState::kMats;
        if (next.slot < 0) {
            mat = &next;
            *mat = {.shape = shape};
        }
    }
    if (mat != nullptr) {
        mat->right = right;
    }
}

/// TEXTRACT or TMOV of `lines` rows (Left) or columns (Right) and `depth` elements of K from a Mat tile: notes where
/// they are. False, and nothing done, when they have to be moved.
PTO_CPU_SHARED bool hold_operand(
    const MatShape& shape, bool right, int64_t first_line, int64_t first_depth, int64_t lines, int64_t depth,
    char* tile, int64_t panel)
{
    HeldState& held = thread_held;
    HeldMat* mat = known_mat(held, shape);
    if (mat == nullptr || mat->slot < 0) {
        note_use(held, shape, right);
        return false;
    }
    const int64_t step = 64 / shape.size;
    const int64_t all_lines = right ? shape.cols : shape.rows, all_depth = right ? shape.rows : shape.cols;
    const char* own = core_state().memory;
    if (mat->right != right || first_line % 32 != 0 || first_depth % step != 0 || depth % step != 0 ||
        (right && lines % 32 != 0) || first_line + lines > all_lines || first_depth + depth > all_depth || lines <= 0 ||
        depth <= 0 || tile < own || tile >= own + CorePools::kBytes) {
        return false;
    }
    const int64_t from_panel = slot_panel(shape, right);
    const HeldOperand made{
        .tile = tile,
        .panel = panel,
        .from = slot_address(mat->slot) + first_line / 32 * from_panel + first_depth / step * kPanelStep,
        .from_panel = from_panel,
        .lines = static_cast<int>(lines),
        .steps = static_cast<int>(depth / step),
        .slot = mat->slot,
        .right = right};
    HeldOperand* place = nullptr;
    PTO_CPU_ROLLED
    for (HeldOperand& view : held.views) {
        if (view.tile != nullptr && overlap(tile, end_of(made), view.tile, end_of(view))) {
            if (view.tile == tile && view.panel == panel && view.lines <= made.lines && view.steps <= made.steps) {
                view.tile = nullptr;  // all of it is overwritten
            } else {
                write_operand(held, view);
            }
        }
        place = view.tile == nullptr ? &view : place;
    }
    if (place == nullptr) {
        write_operand(held, held.views[0]);
        place = &held.views[0];
    }
    *place = made;
    held.operands = true;
    held.settle = settle_region;
    return true;
}

/// The operand at a place, if it has at least these lines and steps.
PTO_CPU_SHARED const HeldOperand* held_operand(
    const HeldState& held, const char* tile, int64_t panel, int lines, int steps)
{
    PTO_CPU_ROLLED
    for (const HeldOperand& view : held.views) {
        if (view.tile == tile && tile != nullptr && view.panel == panel) {
            return view.lines >= lines && view.steps >= steps ? &view : nullptr;
        }
    }
    return nullptr;
}

/// TMATMUL of two held operands, now or together with what follows; false when they are not both held.
PTO_CPU_SHARED bool hold_product(TilePlan plan, void (*run)(const TilePlan&))
{
    HeldState& held = thread_held;
    const HeldOperand* a = held_operand(held, plan.a, plan.a_panel, plan.m, plan.k_steps);
    const HeldOperand* b = held_operand(held, plan.b, plan.b_panel, plan.n_panels * 32, plan.k_steps);
    const char* own = core_state().memory;
    if (a == nullptr || b == nullptr || a->right || !b->right || plan.c < own || plan.c >= own + CorePools::kBytes) {
        return false;
    }
    plan.a = a->from;
    plan.a_panel = a->from_panel;
    plan.b = b->from;
    plan.b_panel = b->from_panel;
    HeldProduct& pending = held.pending;
    if (held.product && plan.accumulate) {
        TilePlan& before = pending.plan;
        const int64_t done = before.k_steps * int64_t(kPanelStep);
        if (run == pending.run && plan.c == before.c && plan.c_panel == before.c_panel && plan.m == before.m &&
            plan.n_panels == before.n_panels && plan.a == before.a + done && plan.b == before.b + done &&
            a->slot == pending.a_slot && b->slot == pending.b_slot) {
            before.k_steps += plan.k_steps;
            return true;
        }
    }
    compute_pending(held);
    pending = {.plan = plan, .a_slot = a->slot, .b_slot = b->slot, .run = run};
    held.product = true;
    held.settle = settle_region;
    return true;
}

#endif

}  // namespace pto::cpu
