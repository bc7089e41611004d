import { counted, type Files } from "@haft/core/tool";

/** Properties of the old file that its replacement does not have, in words for the model. */
export function leftBehind({
  otherNames = 0,
  lostAttributes = [],
  lostOwner,
}: Awaited<ReturnType<Files["write"]>>): readonly string[] {
  return [
    ...(otherNames > 0
      ? [
          `The file has ${counted(otherNames, "other name")} (hard links) that could not be updated: they keep the old content.`,
        ]
      : []),
    ...(lostAttributes.length > 0 ? [`These attributes could not be preserved: ${lostAttributes.join(", ")}.`] : []),
    ...(lostOwner === undefined ? [] : [`The file belonged to user ${lostOwner} and belongs to this user now.`]),
  ];
}
