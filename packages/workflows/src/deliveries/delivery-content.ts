/** What a delivery says: mappings, filters and repeat keys read nothing else of it. */
export interface DeliveryContent {
  payload: unknown;
  /** Those that are kept, by their names in small letters. */
  headers: Readonly<Record<string, string>>;
}
