/** One thing that was looked at. `missing` costs a feature, `broken` stops calls. */
export interface Finding {
  readonly name: string;
  readonly status: "ok" | "missing" | "broken";
  readonly detail: string;
  /** What to do about it. */
  readonly cure?: string;
  /** What it does not promise. */
  readonly limits?: readonly string[];
}
