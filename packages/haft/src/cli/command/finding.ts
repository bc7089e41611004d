/** One result of the inspection. `missing` costs a feature, `broken` stops calls. */
export interface Finding {
  readonly name: string;
  readonly status: "ok" | "missing" | "broken";
  readonly detail: string;
  /** The remedy. */
  readonly cure?: string;
  /** Guarantees that it does not give. */
  readonly limits?: readonly string[];
}
