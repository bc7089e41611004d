// Runs one contender in a process of its own. The bench asks over the IPC channel; times are taken here, without the channel.
const [name, options] = process.argv.slice(2);
const { open } = await import(`./contender/${name}.mjs`);
const contender = await open(JSON.parse(options));

process.on("message", async ({ id, op, input, times = 1 }) => {
  try {
    if (op === "memory") return process.send({ id, ms: 0, value: process.memoryUsage().rss / 2 ** 20 });
    const work = contender.ops[op];
    if (!work) throw new Error(`${name} has no such operation`);
    let value;
    const from = performance.now();
    for (let time = 0; time < times; time++) value = await work(input, time);
    // An operation that is a part of what was waited for takes its time itself.
    process.send({ id, ms: value?.ms ?? (performance.now() - from) / times, value });
  } catch (error) {
    process.send({ id, error: error instanceof Error ? error.message : String(error) });
  }
});
process.on("disconnect", async () => {
  await contender.close?.();
  process.exit(0);
});
process.send({ ready: true });
