/** @module Asking people, and the grants that answers leave behind. */

export {
  type Form,
  type FormChoice,
  type FormField,
  fieldProblem,
  formChoices,
  formDefaults,
  formProblem,
} from "../tool/port/form.ts";
export { type CheckedAnswer, checkAnswer, type Receipt } from "./answer.ts";
export * from "./broker.ts";
export * from "./can-use-tool.ts";
export type { ConfirmationKind, ConfirmationOutcome, ConfirmationPayload } from "./confirmation.ts";
export { type Confirmation, type ConfirmationDetails, confirmationOf, type FileConfirmation } from "./details.ts";
export * from "./grant.ts";
export type { Outcome } from "./outcome.ts";
export * from "./permission-update.ts";
export type * from "./request.ts";
export type * from "./store.ts";
export { askedBy, commandOf, isRisky, questionHead, questionParts, strongestFirst } from "./strength.ts";
