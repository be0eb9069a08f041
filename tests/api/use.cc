/* SPDX-License-Identifier: MIT */
/*
 * Events where only C++ can put them: namespaces, classes, templates, lambdas, constexpr functions,
 * destructors, exception handlers. tests/api.sh compiles this from C++11 to C++20, every warning an
 * error.
 */
#include <cairn/cairn.h>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

CAIRN_ENUM_TYPE(api_colour, u8, CAIRN_VALUE(RED, 0), CAIRN_VALUE(BLUE, 1));
CAIRN_EVENT(api, empty);
CAIRN_EVENT(api, n, CAIRN_I32(n));
CAIRN_EVENT(api, name, CAIRN_STR(name), CAIRN_LOGLEVEL(INFO));
CAIRN_EVENT(api, three, CAIRN_U32(a), CAIRN_STR(b), CAIRN_DOUBLE(c));
CAIRN_EVENT(api, bytes, CAIRN_SEQ(u8, bytes, count));
CAIRN_EVENT(api, colour, CAIRN_ENUM(colour, api_colour));
CAIRN_EVENT(api, truth, CAIRN_BOOL(bool));

extern "C" {
CAIRN_EVENT(api, in_extern_c, CAIRN_I32(n));
CAIRN_EVENT(api, in_extern_c_too, CAIRN_I32(n));
}

enum class colour : uint8_t { red, blue };

int api_all(int n);

/* One event in two namespaces is one event; several in one namespace. */
namespace shop
{
CAIRN_ENUM_TYPE(kind, u16, CAIRN_VALUE(A, 1), CAIRN_RANGE(B, 2, 3));
CAIRN_EVENT(shop, first, CAIRN_I32(n), CAIRN_ENUM(kind, kind));
CAIRN_EVENT(shop, second, CAIRN_I32(n));
namespace inner
{
CAIRN_EVENT(shop, first, CAIRN_I32(n), CAIRN_ENUM(kind, kind));
CAIRN_EVENT(shop, third);
static void trace(int n)
{
	cairn_trace(shop, first, n, 1);
	cairn_trace(shop, second, n);
	cairn_trace(shop, third);
}
} // namespace inner
static void trace(int n)
{
	cairn_trace(shop, first, n, 2);
	cairn_trace(shop, second, n);
	inner::trace(n);
}
} // namespace shop

namespace
{
CAIRN_EVENT(api, nameless, CAIRN_STR(name));
CAIRN_EVENT(api, nameless_too);
void nameless(const char *s)
{
	cairn_trace(api, nameless, s);
	cairn_trace(api, nameless_too);
}
} // namespace

inline namespace v1
{
CAIRN_EVENT(api, in_inline_namespace);
}

inline int inline_function(int n)
{
	cairn_trace(api, n, n);
	return n;
}

namespace
{

struct guard {
	int n;
	explicit guard(int with) : n(with)
	{
		cairn_trace(api, n, n);
	}
	guard(const guard &) = delete;
	guard &operator=(const guard &) = delete;
	~guard()
	{
		cairn_trace(api, n, n);
	}
};

class base
{
      public:
	virtual ~base();
	virtual void act(int n) = 0;
	static void act_static(int n)
	{
		cairn_trace(api, n, n);
	}
	int operator()(int n) const
	{
		cairn_trace(api, n, n);
		return n;
	}
};

base::~base()
{
	cairn_trace(api, empty);
}

class derived final : public base
{
	std::string name_{ "derived" };
	int made_ = [] {
		cairn_trace(api, empty);
		return 1;
	}();

      public:
	void act(int n) override
	{
		cairn_trace(api, three, static_cast<uint32_t>(n), name_.c_str(), made_);
		if (cairn_enabled(api, name))
			cairn_trace(api, name, name_.c_str());
	}
};

template <typename T> struct holder {
	T value;
	void show() const
	{
		cairn_trace(api, n, static_cast<int>(value));
		cairn_trace(api, empty);
	}
	template <typename U> U convert() const;
};

template <typename T> template <typename U> U holder<T>::convert() const
{
	cairn_trace(api, n, static_cast<int>(value));
	return static_cast<U>(value);
}

template <int N> int recurse()
{
	cairn_trace(api, n, N);
	return recurse<N - 1>() + 1;
}

template <> int recurse<0>()
{
	return 0;
}

template <typename... Args> void forward(Args... args)
{
	cairn_trace(api, three, args...);
}

template <int A, int B> int sum()
{
	return A + B;
}

int throwing(int n)
try {
	guard g(n);
	if (n > 100)
		throw std::runtime_error("big");
	cairn_trace(api, n, g.n);
	return n;
} catch (const std::exception &e) {
	cairn_trace(api, name, e.what());
	return -1;
} catch (...) {
	cairn_trace(api, empty);
	throw;
}

int quiet(int n) noexcept
{
	guard outer(n);
	for (int i = 0; i < n; i++) {
		guard inner(i);
		cairn_trace(api, n, i);
		if (i == 7)
			return i;
		cairn_trace(api, n, inner.n);
	}
	cairn_trace(api, n, outer.n);
	return 0;
}

#if __cplusplus >= 201402L
constexpr int constexpr_caller(int n)
{
	if (n < 0)
		cairn_trace(api, n, n);
	return n < 0 ? -n : n;
}
static_assert(constexpr_caller(3) == 3, "no event on the way of constant evaluation");
#endif

int lambdas(int n)
{
	int sum = 0;
	auto by_ref = [&](int more) {
		cairn_trace(api, n, sum += more);
		return sum;
	};
	auto nested = [n] {
		cairn_trace(api, n, n);
		return [n] {
			cairn_trace(api, n, n + 1);
			return n;
		}();
	};
#if __cplusplus >= 201402L
	auto generic = [](auto v) {
		cairn_trace(api, n, static_cast<int>(v));
		return v;
	};
	sum += static_cast<int>(generic(1u)) + generic(2);
#endif
	return by_ref(n) + nested();
}

int at_start = [] {
	cairn_trace(api, empty);
	return 3;
}();

#if __cplusplus >= 201703L
template <typename T> void with_if_constexpr(T value)
{
	if constexpr (sizeof(T) == 4)
		cairn_trace(api, n, static_cast<int>(value));
	else
		cairn_trace(api, empty);
}
#endif

void arguments(const std::string &s, const std::vector<uint8_t> &bytes)
{
	cairn_trace(api, three, 1, (s + "x").c_str(), 2.0);
	cairn_trace(api, n, sum<1, 2>());
	cairn_trace(api, n, [](int a, int b) { return a * b; }(2, 3));
	cairn_trace(api, bytes, bytes.data(), bytes.size());
	cairn_trace(api, bytes, nullptr, 0);
	cairn_trace(api, name, nullptr);
	cairn_trace(api, colour, static_cast<uint8_t>(colour::blue));
	cairn_trace(api, truth, s.empty());
	cairn_trace(api, in_extern_c, 1);
	cairn_trace(api, in_extern_c_too, 1);
	cairn_trace(api, in_inline_namespace);
}

void probe(void *data, int32_t n)
{
	*static_cast<int *>(data) += n;
}

} // namespace

int api_all(int n)
{
	derived d;
	base &b = d;

	b.act(n);
	base::act_static(b(n));
	holder<int>{ n }.show();
	holder<double>{ 1.5 * n }.show();
	forward(1u, "two", 3.0);
	shop::trace(n);
	nameless("name");
	arguments(std::strerror(n), { 1, 2, 3 });
#if __cplusplus >= 201402L
	n += constexpr_caller(n);
#endif
#if __cplusplus >= 201703L
	with_if_constexpr(n);
	with_if_constexpr('c');
#endif
	int err = cairn_attach(api, n, probe, &n);
	if (!err)
		err = cairn_detach(api, n, probe, &n);
	err += cairn_attach(
		api, n, [](void *, int32_t) {}, nullptr);
	return inline_function(n) + recurse<3>() + throwing(n) + quiet(n) + lambdas(n) + at_start +
	       err + holder<long>{ n }.convert<int>();
}
