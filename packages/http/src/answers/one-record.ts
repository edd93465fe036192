/** What an operation answers whose spec says `hasVersion`. */
export interface OneRecord {
  data: { id: string; updated_at: string };
}
