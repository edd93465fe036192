/**
 * Returns the location of a documentation page such as `senders/stripe`: its URL if the public address of the service
 * is known, otherwise its file in the repository.
 */
export function documentUrl(page: string, publicUrl: string | undefined): string {
  return publicUrl ? `${publicUrl.replace(/\/+$/, '')}/docs/${page}` : `docs/${page}.md`;
}
