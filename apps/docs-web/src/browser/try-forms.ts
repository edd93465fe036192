import { make, readStored, store } from './elements.ts';

const stored = 'relata.docs.key';
/** Timeout in ms: more than the 60 s that an answer of the chatbot may take by default. */
const timeoutMs = 90_000;
const shownCharsMax = 100_000;

/** Enables the forms that try operations. The key is stored for this tab only. */
export function addTryForms(): void {
  for (const details of document.querySelectorAll<HTMLDetailsElement>('details.try')) {
    const form = details.querySelector('form')!;
    details.addEventListener('toggle', () => {
      fieldOf(form, 'key').value ||= readStored('sessionStorage', stored) ?? '';
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void send(form);
    });
    details.hidden = false;
  }
}

const fieldOf = (form: HTMLFormElement, name: string) => form.elements.namedItem(name) as HTMLInputElement;

async function send(form: HTMLFormElement): Promise<void> {
  const button = form.querySelector('button')!;
  // Screen readers do not announce the response itself, because it may be long.
  const status = form.querySelector('.answer [role=status]')!;
  store('sessionStorage', stored, fieldOf(form, 'key').value);
  button.disabled = true;
  status.nextElementSibling?.remove();
  try {
    const began = performance.now();
    const response = await fetch(requestOf(form));
    const text = readable(await response.text());
    const took = Math.round(performance.now() - began);
    status.replaceChildren(make('strong', {}, `${response.status} ${response.statusText}`), ` in ${took} ms`);
    status.after(make('pre', { tabindex: '0', 'aria-label': 'Answer' }, text.slice(0, shownCharsMax)));
  } catch (error) {
    status.replaceChildren(`The request failed: ${String(error)}. Check the connection and try again.`);
  } finally {
    button.disabled = false;
  }
}

function requestOf(form: HTMLFormElement): Request {
  const { method = 'get', path = '' } = form.dataset;
  const headers = new Headers({ 'X-Api-Key': fieldOf(form, 'key').value.trim() });
  const query = new URLSearchParams();
  let filled = path;
  for (const input of form.querySelectorAll<HTMLInputElement>('input[data-in]')) {
    const value = input.value.trim();
    if (value === '') continue;
    const place = input.dataset['in'];
    if (place === 'path') filled = filled.replace(`{${input.name}}`, encodeURIComponent(value));
    else if (place === 'query') query.set(input.name, value);
    else headers.set(input.name, value);
  }
  const body = form.querySelector('textarea')?.value;
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  const url = `${filled}${query.size > 0 ? `?${query}` : ''}`;
  return new Request(url, {
    method: method.toUpperCase(),
    headers,
    signal: AbortSignal.timeout(timeoutMs),
    credentials: 'omit',
    ...(body !== undefined && { body }),
  });
}

/** Returns JSON with indentation, and any other text as it is. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
