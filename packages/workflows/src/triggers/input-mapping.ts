/** Where each input of a workflow comes from: a path into the payload, or a constant. */
export type InputMapping = Record<string, string | { const: unknown }>;
