import type { ComponentChildren } from 'preact';

const icon = (children: ComponentChildren) => (
  <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" class="icon">
    {children}
  </svg>
);

/** Icons drawn with lines in the text's colour, since a page's policy may forbid fonts and images. */
export const icons = {
  chat: icon(<path d="M21 11.5a8.4 8.4 0 0 1-12.2 7.5L3.5 20.5 5 15.6A8.4 8.4 0 1 1 21 11.5Z" />),
  spark: icon(
    <path d="M12 3.5c.9 4.6 3 6.9 7.5 8.5-4.5 1.6-6.6 3.9-7.5 8.5-.9-4.6-3-6.9-7.5-8.5 4.5-1.6 6.6-3.9 7.5-8.5Z" />,
  ),
  down: icon(<path d="m6 9.5 6 6 6-6" />),
  close: icon(<path d="M6.5 6.5l11 11m0-11l-11 11" />),
  restart: icon(
    <path d="M11.5 4.5H7a3 3 0 0 0-3 3V17a3 3 0 0 0 3 3h9.5a3 3 0 0 0 3-3v-4.500M18.5 3.600a1.9 1.9 0 0 1 2.7 2.700L13 14.500l-3.5.8.8-3.500Z" />,
  ),
  send: icon(<path d="M12 19V5.500m-6 6 6-6 6 6" />),
  stop: icon(<rect x="7" y="7" width="10" height="10" rx="2" fill="currentColor" stroke="none" />),
  arrow: icon(<path d="M8 16 16 8m-6.5 0H16v6.5" />),
  calendar: icon(
    <path d="M8 3.500v3m8-3v3M4 10h16M6.5 5h11A2.5 2.5 0 0 1 20 7.500v10a2.5 2.5 0 0 1-2.5 2.500h-11A2.5 2.5 0 0 1 4 17.500v-10A2.5 2.5 0 0 1 6.5 5Z" />,
  ),
  thumb: icon(
    <path d="M8 10.500v9M8 10.500l3.600-6.200a1.9 1.9 0 0 1 2.500 2.200l-.9 3.500h4.700a2 2 0 0 1 2 2.400l-1.100 5.500a2 2 0 0 1-2 1.600H6a2 2 0 0 1-2-2v-5a2 2 0 0 1 2-2h2" />,
  ),
  check: icon(<path d="m5.5 12.5 4.5 4.5 8.5-9.5" />),
  alert: icon(<path d="M12 8v4.500m0 3.500v.1M12 3.500a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17Z" />),
};
