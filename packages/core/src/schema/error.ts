const brand: unique symbol = Symbol.for("haft.HaftError");

/**
 * A schema that cannot be used. It carries the brand of `HaftError`, so `HaftError.is` and the executor recognise it;
 * the class itself is defined in a higher layer.
 */
export class SchemaError extends Error {
  readonly code = "validation_failed";
  readonly hint: string;
  readonly [brand] = true;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SchemaError";
    this.hint = hint;
  }
}
