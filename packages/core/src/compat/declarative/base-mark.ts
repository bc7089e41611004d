/** Marks `BaseToolInvocation` across copies of the package, where `instanceof` and prototypes differ. */
export const base: unique symbol = Symbol.for("haft.BaseToolInvocation");

const isMarked = (made: unknown, has: (made: object) => boolean): boolean => typeof made === "function" && has(made);

/** Whether the invocation extends `BaseToolInvocation`, of this copy of the package or of another one. */
export const isBaseInvocation = (invocation: object): boolean =>
  isMarked(invocation.constructor, (made) => base in made);

/** Whether the invocation replaces the base's way to decide when a person is asked. */
export function overridesConfirm(invocation: object): boolean {
  let owner: object | null = invocation;
  while (owner && !Object.hasOwn(owner, "shouldConfirmExecute")) owner = Object.getPrototypeOf(owner);
  return !owner || !isMarked(owner.constructor, (made) => Object.hasOwn(made, base));
}
