/** The parts of a delivery that mappings, filters and repeat keys can read. */
export interface DeliveryContent {
  payload: unknown;
  /** Stored headers by lower-case name. */
  headers: Readonly<Record<string, string>>;
}
