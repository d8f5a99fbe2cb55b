// @ts-check
// A planted fault of the guard's own test: wastes BENCH_PLANTED percents of the CPU time that the program takes, a few
// milliseconds after it took them.
const share = Number(process.env["BENCH_PLANTED"] ?? 0) / 100
const spent = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}
let counted = spent()
const timer = setInterval(() => {
  const now = spent()
  const end = now + (now - counted) * share
  while (spent() < end);
  counted = spent()
}, 2)
timer.unref()
