// A tool whose schema many clients cannot read: what the Inspector's lint must find.
export const tools = [
  {
    name: "odd",
    description: "A tool with a property whose schema is no object.",
    input: { type: "object", properties: { value: true } },
    effects: () => [],
    run: () => "odd",
  },
];
