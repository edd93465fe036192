/** The parts of an OpenAPI 3.1 document that clients depend on, as far as Relata's document uses them. */
export interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses?: Record<string, Response> };
}

export interface Operation {
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, Response>;
}

export interface Parameter {
  in: string;
  name: string;
  required?: boolean;
  schema: Schema;
}

/** A response, or a reference to one that several operations share. */
export interface Response {
  $ref?: string;
  headers?: Record<string, unknown>;
  content?: Content;
}

export type Content = Record<string, { schema: Schema }>;

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  /** Variants, which the values of one member distinguish. */
  oneOf?: Schema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  minLength?: number;
  minimum?: number;
  minItems?: number;
  maxLength?: number;
  maximum?: number;
  maxItems?: number;
}
