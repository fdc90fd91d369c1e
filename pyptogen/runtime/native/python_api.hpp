// The functions of CPython's stable ABI that known calls use, found in this process: no headers of Python are needed to
// compile this. All with the interpreter lock.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <utility>

namespace pto_rt::native {

using Object = const char*;  // an object of Python

// `PyMethodDef` of a function that takes `count` arguments by position in an array, and behind them those whose names the
// tuple `names` has; null: none.
struct Method {
    const char* name;
    Object (*function)(Object self, const Object* arguments, int64_t count, Object names);
    int flags = 0x82;  // METH_FASTCALL | METH_KEYWORDS
    const char* doc = nullptr;
};

struct Python {
    Object (*new_tuple)(int64_t) = nullptr;
    int (*set_item)(Object, int64_t, Object) = nullptr;
    Object (*tuple_item)(Object, int64_t) = nullptr;
    int64_t (*tuple_size)(Object) = nullptr;
    Object (*dict_item)(Object, Object) = nullptr;  // borrowed; null without an exception
    int64_t (*dict_size)(Object) = nullptr;
    Object (*attribute)(Object, Object) = nullptr;
    int (*compare)(Object, Object, int) = nullptr;
    Object (*call)(Object, Object) = nullptr;  // with a tuple of arguments
    void (*keep)(const void*) = nullptr;
    void (*drop)(const void*) = nullptr;
    double (*as_double)(Object) = nullptr;
    int64_t (*as_whole)(Object, int*) = nullptr;
    Object (*new_whole)(int64_t) = nullptr;
    Object (*new_text)(const char*, int64_t, const char*) = nullptr;
    void (*raise)(Object, Object) = nullptr;
    void (*clear)() = nullptr;
    void* (*save)() = nullptr;
    void (*restore)(void*) = nullptr;
    Object (*new_capsule)(void*, const char*, void (*)(Object)) = nullptr;
    void* (*pointer)(Object, const char*) = nullptr;
    Object (*new_function)(const Method*, Object, Object) = nullptr;
    void* (*slot)(const void*, int) = nullptr;
    Object none = nullptr;
    const void *dict = nullptr, *tuple = nullptr, *floating = nullptr, *whole = nullptr;  // types
    int64_t head = 0;  // bytes that every object begins with, its type the last

    // False where this process has not all of them.
    bool load(int64_t object_head)
    {
        head = object_head;
        return found(new_tuple, "PyTuple_New") && found(set_item, "PyTuple_SetItem") &&
               found(tuple_item, "PyTuple_GetItem") && found(tuple_size, "PyTuple_Size") &&
               found(dict_item, "PyDict_GetItem") && found(dict_size, "PyDict_Size") &&
               found(attribute, "PyObject_GetAttr") && found(compare, "PyObject_RichCompareBool") &&
               found(call, "PyObject_CallObject") && found(new_whole, "PyLong_FromLongLong") &&
               found(keep, "Py_IncRef") && found(drop, "Py_DecRef") && found(as_double, "PyFloat_AsDouble") &&
               found(as_whole, "PyLong_AsLongLongAndOverflow") && found(new_text, "PyUnicode_DecodeUTF8") &&
               found(raise, "PyErr_SetObject") && found(clear, "PyErr_Clear") && found(save, "PyEval_SaveThread") &&
               found(restore, "PyEval_RestoreThread") && found(new_capsule, "PyCapsule_New") &&
               found(pointer, "PyCapsule_GetPointer") && found(new_function, "PyCFunction_NewEx") &&
               found(slot, "PyType_GetSlot") && found(none, "_Py_NoneStruct") && found(dict, "PyDict_Type") &&
               found(tuple, "PyTuple_Type") && found(floating, "PyFloat_Type") && found(whole, "PyLong_Type");
    }

    const void* type_of(Object object) const
    {
        const void* type;
        std::memcpy(&type, object + head - static_cast<int64_t>(sizeof type), sizeof type);
        return type;
    }

    Object kept(Object object) const
    {
        keep(object);
        return object;
    }

    // Raises an exception of a class with these words. Null, for the caller to return.
    Object raised(Object kind, const char* words) const
    {
        const Object text = new_text(words, static_cast<int64_t>(std::strlen(words)), "replace");
        if (text == nullptr) return nullptr;
        raise(kind, text);
        drop(text);
        return nullptr;
    }

    // A function of Python: `method`, which stays as it is, with `data` for its own, freed by `free` with the function.
    // Null with an exception set.
    Object function(const Method& method, void* data, void (*free)(Object)) const
    {
        const Object self = new_capsule(data, method.name, free);
        if (self == nullptr) return nullptr;
        const Object made = new_function(&method, self, nullptr);
        drop(self);
        return made;
    }

    // A record of a class that is a tuple, `kind`, of what stands in a tuple. Null with an exception set.
    Object record(Object kind, Object values) const
    {
        static const auto make = reinterpret_cast<Object (*)(Object, Object, Object)>(slot(tuple, kNew));
        const Object arguments = new_tuple(1);
        if (arguments == nullptr) return nullptr;
        set_item(arguments, 0, kept(values));
        const Object made = make(kind, arguments, nullptr);
        drop(arguments);
        return made;
    }

private:
    static constexpr int kNew = 65;  // Py_tp_new

    template <class Part>
    static bool found(Part& part, const char* name)
    {
        part = reinterpret_cast<Part>(dlsym(RTLD_DEFAULT, name));
        return part != nullptr;
    }
};

// A reference that is dropped at the end, unless it is taken.
class Owned {
public:
    Owned(const Python& python, Object object) : python_(python), object_(object) {}
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned()
    {
        if (object_ != nullptr) python_.drop(object_);
    }
    explicit operator bool() const { return object_ != nullptr; }
    Object get() const { return object_; }
    Object take() { return std::exchange(object_, nullptr); }

private:
    const Python& python_;
    Object object_;
};

}  // namespace pto_rt::native
