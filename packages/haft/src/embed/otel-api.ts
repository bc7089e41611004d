/** The part of `@opentelemetry/api` that Haft uses, as structures, so that no import is needed. */

/** Attributes of a span or a measurement. */
export interface Attributes {
  [name: string]: string | number | boolean | string[];
}

/** A context, which Haft only passes on. */
export interface OtelContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): OtelContext;
  deleteValue(key: symbol): OtelContext;
}

/** A span. */
export interface OtelSpan {
  setAttributes(attributes: Attributes): unknown;
  addEvent(name: string): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** The module `@opentelemetry/api`. */
export interface OtelApi {
  readonly ROOT_CONTEXT: OtelContext;
  readonly context: { active(): OtelContext };
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options: { kind: number; attributes?: Attributes }, context: OtelContext): OtelSpan;
    };
    setSpan(context: OtelContext, span: OtelSpan): OtelContext;
  };
  readonly metrics: {
    getMeter(name: string): {
      createHistogram(name: string, options: { unit?: string; description?: string }): Recorder;
      createCounter(
        name: string,
        options: { description?: string },
      ): { add(value: number, attributes: Attributes): void };
    };
  };
  readonly propagation: {
    extract(context: OtelContext, carrier: unknown): OtelContext;
    inject(context: OtelContext, carrier: unknown): void;
  };
}

interface Recorder {
  record(value: number, attributes: Attributes): void;
}
