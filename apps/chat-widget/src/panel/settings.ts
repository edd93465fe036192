import type { Gateway } from '../chat/gateway-client.ts';

export interface WidgetSettings {
  readonly gateway: Gateway;
  readonly mode: 'launcher' | 'inline';
  readonly position: 'right' | 'left';
  readonly name: string;
  readonly greeting: string;
  readonly placeholder: string;
  readonly suggestions: readonly string[];
}

export const attributeNames = [
  'api',
  'api-key',
  'mode',
  'open',
  'name',
  'greeting',
  'suggestions',
  'placeholder',
  'position',
];

const suggestionsMax = 6;

/** Reads the settings of an element. Without a valid `api`, the gateway is the origin of `scriptUrl`. */
export function readSettings(element: Element, scriptUrl: string): WidgetSettings {
  const text = (name: string, fallback: string) => element.getAttribute(name)?.trim() || fallback;
  return {
    gateway: { api: apiAddress(element.getAttribute('api'), scriptUrl), key: text('api-key', '') },
    mode: element.getAttribute('mode') === 'inline' ? 'inline' : 'launcher',
    position: element.getAttribute('position') === 'left' ? 'left' : 'right',
    name: text('name', 'Ask us anything'),
    greeting: text('greeting', 'Hi! How can we help?'),
    placeholder: text('placeholder', 'Ask a question…'),
    suggestions: suggestionsOf(text('suggestions', '')),
  };
}

function suggestionsOf(list: string): string[] {
  const all = list.split('|').map((suggestion) => suggestion.trim());
  return all.filter((suggestion) => suggestion !== '').slice(0, suggestionsMax);
}

function apiAddress(attribute: string | null, scriptUrl: string): string {
  if (!attribute?.trim()) return new URL(scriptUrl).origin;
  try {
    return new URL(attribute.trim(), document.baseURI).href.replace(/\/+$/, '');
  } catch {
    return new URL(scriptUrl).origin;
  }
}
