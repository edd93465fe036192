/** Returns true for the status of a temporary failure, after which the request can be sent again. */
export function isRetryableStatus(status: number): boolean {
  return [408, 425, 429].includes(status) || status >= 500;
}
