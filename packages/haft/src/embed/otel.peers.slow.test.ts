import { context, metrics, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { expect, it } from "vitest";
import { frameworkHaft, storyCalls } from "../../../../test/support/framework-haft.ts";
import { otel } from "./otel.ts";

const api = { context, metrics, propagation, ROOT_CONTEXT, trace };
const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
// The W3C propagator, as far as these cases need it.
propagation.setGlobalPropagator({
  extract: (target, carrier, getter) => {
    const [, traceId = "", spanId = ""] = String(getter.get(carrier, "traceparent")).split("-");
    return trace.setSpanContext(target, { traceId, spanId, traceFlags: 1, isRemote: true });
  },
  inject: (source, carrier, setter) => {
    const { traceId, spanId } = trace.getSpanContext(source)!;
    setter.set(carrier, "traceparent", `00-${traceId}-${spanId}-01`);
  },
  fields: () => ["traceparent"],
});

it("calls are spans: effects by kind, decision, basis, the wait for a person as a child, no content", async () => {
  let passedOn: string | undefined;
  const { haft, cwd, close } = await frameworkHaft({
    ask: async ({ callId }) => {
      passedOn = telemetry.traceparent(callId);
      return { behavior: "allow" };
    },
  });
  using telemetry = otel(haft, api, { traceparent: PARENT });
  const [read, write] = storyCalls(cwd);
  await haft.call("Read", read!.input, { id: "read" });
  await haft.call("Write", write!.input, { id: "write" });
  await haft.call("Read", { file_path: 5 }, { id: "bad" });
  const spans = exporter.getFinishedSpans();
  const named = (name: string) => spans.filter((span) => span.name === name);
  const [first, bad] = named("execute_tool Read");
  const [written] = named("execute_tool Write");
  const [wait] = named("wait_for_approval");
  expect(first?.attributes).toMatchObject({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.call.id": "read",
    "gen_ai.conversation.id": haft.session.id,
    "haft.effects": ["read"],
    "haft.decision": "allow",
    "haft.basis": "enforced",
    "haft.status": "ok",
  });
  expect(first?.spanContext().traceId).toBe(PARENT.slice(3, 35));
  expect(written?.attributes).toMatchObject({
    "haft.decision": "ask",
    "haft.effects": expect.arrayContaining(["write"]),
  });
  expect(wait?.parentSpanContext?.spanId).toBe(written?.spanContext().spanId);
  expect(wait?.attributes).toMatchObject({ "haft.approval.answer": "allow" });
  expect(passedOn).toContain(written?.spanContext().spanId);
  expect(bad?.attributes).toMatchObject({ "error.type": "invalid_input", "haft.status": "error" });
  expect(bad?.status.code).toBe(2);
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toMatch(/alpha|beta|a\.txt/);
  await close();
});

it("calls are metrics: durations by tool and error, waits by answer, decisions; traceparent of an ended call is none", async () => {
  const { haft, cwd, close } = await frameworkHaft({ ask: async () => ({ behavior: "deny", message: "No." }) });
  using telemetry = otel(haft, api);
  const [read, write] = storyCalls(cwd);
  await haft.call("Read", read!.input, { id: "m1" });
  await haft.call("Read", { file_path: 5 }, { id: "m2" });
  await haft.call("Write", write!.input, { id: "m3" });
  expect(telemetry.traceparent("m1")).toBeUndefined();
  measured.reset();
  await reader.forceFlush();
  const [latest] = measured.getMetrics();
  const points = (name: string) =>
    latest!.scopeMetrics
      .flatMap(({ metrics: all }) => all)
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints }) => dataPoints.map(({ attributes, value }) => ({ attributes, value })));
  const unit = latest!.scopeMetrics[0]!.metrics.map(({ descriptor }) => [descriptor.name, descriptor.unit]);
  expect(unit).toContainEqual(["gen_ai.execute_tool.duration", "s"]);
  expect(points("gen_ai.execute_tool.duration").map(({ attributes }) => attributes)).toEqual(
    expect.arrayContaining([
      { "gen_ai.tool.name": "Read" },
      { "gen_ai.tool.name": "Read", "error.type": "invalid_input" },
      { "gen_ai.tool.name": "Write", "error.type": "denied_by_user" },
    ]),
  );
  expect(points("haft.approval.duration").map(({ attributes }) => attributes)).toContainEqual(
    expect.objectContaining({ "haft.approval.answer": "deny" }),
  );
  const asks = points("haft.decisions").find(({ attributes }) => attributes["haft.decision"] === "ask");
  expect(asks).toMatchObject({ attributes: { "gen_ai.tool.name": "Write" }, value: expect.any(Number) });
  expect(JSON.stringify(latest!.scopeMetrics)).not.toMatch(/a\.txt|b\.txt|beta/);
  await close();
});
