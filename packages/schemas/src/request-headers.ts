/** Maximum total size of the headers that a workflow sends with a request, in bytes. */
export const requestHeaderBytesMax = 16_384;
