/* SPDX-License-Identifier: MIT */
#include "bench/gbench_shim.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <vector>

struct pm_gbench_state {
    benchmark::State &state;
};

namespace
{

/* How many runs of the present pm_gbench_run() were skipped. */
std::size_t skipped;

/* Hands everything to the library's console and JSON reporters, which write into memory. */
class Reporter : public benchmark::BenchmarkReporter
{
  public:
    explicit Reporter(std::FILE *out) : console_(benchmark::ConsoleReporter::OO_Tabular), out_(out)
    {
        SetErrorStream(&errors_);
        console_.SetOutputStream(&table_);
        console_.SetErrorStream(&table_);
        json_.SetOutputStream(&json_text_);
        json_.SetErrorStream(&errors_);
    }

    bool ReportContext(const Context &context) override
    {
        const bool is_wanted = console_.ReportContext(context) && json_.ReportContext(context);
        drop_build_warning();
        flush_table();
        return is_wanted;
    }

    void ReportRuns(const std::vector<Run> &runs) override
    {
        console_.ReportRuns(runs);
        json_.ReportRuns(runs);
        flush_table();
    }

    void Finalize() override
    {
        console_.Finalize();
        json_.Finalize();
        flush_table();
    }

    std::string json() const { return json_text_.str(); }
    std::string errors() const { return errors_.str(); }

  private:
    /* Distributions build the library with its assertions, none of which stands in a timed loop.
     * Readers would take its warning for one about this program. */
    void drop_build_warning()
    {
#ifdef NDEBUG
        std::string text = table_.str();
        const std::size_t start = text.find("***WARNING*** Library was built as DEBUG");
        if (start == std::string::npos)
            return;
        const std::size_t end = text.find('\n', start);
        text.erase(start, end == std::string::npos ? end : end - start + 1);
        table_.str("");
        table_ << text;
#endif
    }

    void flush_table()
    {
        if (out_ != nullptr) {
            std::fputs(table_.str().c_str(), out_);
            std::fflush(out_);
        }
        table_.str("");
    }

    std::ostringstream table_, json_text_, errors_;
    benchmark::ConsoleReporter console_;
    benchmark::JSONReporter json_;
    std::FILE *out_;
};

/* Runs body(), which returns a status, and makes a status of what it throws. */
template <typename Body> pm_status without_exceptions(pm_error *error, Body body) noexcept
{
    try {
        return body();
    } catch (const std::bad_alloc &) {
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory in Google Benchmark");
    } catch (const std::exception &exception) {
        return pm_fail(error, PM_ERROR_ARGUMENT, "Google Benchmark: %s", exception.what());
    } catch (...) {
        return pm_fail(error, PM_ERROR_ARGUMENT, "Google Benchmark failed");
    }
}

/* The library's own message without its newline; it knows only bad and unmatched filters. */
pm_status refuse_filter(const char *filter, std::string message, pm_error *error)
{
    while (!message.empty() && message.back() == '\n')
        message.pop_back();
    return pm_fail(error, PM_ERROR_ARGUMENT,
                   "the filter \"%s\" is a regular expression that matches no benchmark (%s)",
                   filter, message.c_str());
}

/* By the flag, since Benchmark::MinTime() would put the time into the names, where filters see it.
 */
void set_min_time(double seconds)
{
    static char program[] = "plymark";
    std::string flag = "--benchmark_min_time=" + std::to_string(seconds);
    char *arguments[] = {program, &flag[0], nullptr};
    int count = 2;
    benchmark::Initialize(&count, arguments);
}

pm_status run(const pm_gbench_options &options, pm_gbench_outcome *outcome, pm_error *error)
{
    if (!std::isfinite(options.min_seconds) || options.min_seconds < 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "the time is %g s: a positive one is needed",
                       options.min_seconds);
    set_min_time(options.min_seconds > 0 ? options.min_seconds : 0.5);
    const char *filter =
        options.filter != nullptr && *options.filter != '\0' ? options.filter : ".";
    Reporter reporter(options.out);
    skipped = 0;
    const std::size_t count = benchmark::RunSpecifiedBenchmarks(&reporter, filter);
    if (count == 0)
        return refuse_filter(filter, reporter.errors(), error);
    char *json = strdup(reporter.json().c_str());
    if (json == nullptr)
        throw std::bad_alloc();
    *outcome = pm_gbench_outcome{count, skipped, json};
    return PM_OK;
}

} // namespace

enum pm_status pm_gbench_register(const char *name, pm_gbench_function function, void *context,
                                  struct pm_error *error)
{
    return without_exceptions(error, [&] {
        benchmark::RegisterBenchmark(name, [function, context](benchmark::State &state) {
            pm_gbench_state wrapped{state};
            function(&wrapped, context);
        });
        return PM_OK;
    });
}

void pm_gbench_clear(void)
{
    without_exceptions(nullptr, [] {
        benchmark::ClearRegisteredBenchmarks();
        return PM_OK;
    });
}

enum pm_status pm_gbench_add_context(const char *key, const char *value, struct pm_error *error)
{
    return without_exceptions(error, [&] {
        benchmark::AddCustomContext(key, value);
        return PM_OK;
    });
}

bool pm_gbench_keep_running(struct pm_gbench_state *state)
{
    return state->state.KeepRunning();
}

bool pm_gbench_keep_running_batch(struct pm_gbench_state *state, uint64_t rounds)
{
    return state->state.KeepRunningBatch(static_cast<benchmark::IterationCount>(rounds));
}

void pm_gbench_set_rate(struct pm_gbench_state *state, const char *name, double total)
{
    without_exceptions(nullptr, [&] {
        state->state.counters[name] = benchmark::Counter(total, benchmark::Counter::kIsRate);
        return PM_OK;
    });
}

void pm_gbench_skip(struct pm_gbench_state *state, const char *reason)
{
    without_exceptions(nullptr, [&] {
        state->state.SkipWithError(reason);
        skipped++;
        return PM_OK;
    });
}

enum pm_status pm_gbench_run(const struct pm_gbench_options *options,
                             struct pm_gbench_outcome *outcome, struct pm_error *error)
{
    return without_exceptions(error, [&] { return run(*options, outcome, error); });
}
