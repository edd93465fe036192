/** Content of a delivery: mappings, filters and repeat keys read nothing else of it. */
export interface DeliveryContent {
  payload: unknown;
  /** Stored headers by lower-case name. */
  headers: Readonly<Record<string, string>>;
}
