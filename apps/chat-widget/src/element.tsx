import { render } from 'preact';
import { Chat } from './chat/chat.ts';
import { tabStorage } from './chat/history.ts';
import { attributeNames, readSettings, type WidgetSettings } from './panel/settings.ts';
import { Widget } from './panel/widget.tsx';
import { styles } from './style/sheet.ts';
import { followViewport } from './style/viewport.ts';

/** The address of this script; the page's own where it came from a bundle. Only known while it is first run. */
const scriptUrl = findScriptUrl();

/** `<relata-chat>`: see the README for its attributes, events, custom properties and parts. */
export class RelataChat extends HTMLElement {
  static readonly observedAttributes = attributeNames;
  readonly #root = this.attachShadow({ mode: 'open' });
  #chat: Chat | undefined;
  #frame = 0;
  #unfollow: (() => void) | undefined;

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [styles()];
  }

  connectedCallback(): void {
    this.#chat ??= this.#createChat();
    this.#unfollow = followViewport(this.#root);
    this.#render();
  }

  disconnectedCallback(): void {
    this.#chat?.stop();
    this.#unfollow?.();
    cancelAnimationFrame(this.#frame);
    render(null, this.#root);
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (!this.isConnected || !this.#chat) return;
    this.#render();
    if (name === 'open' && (before === null) !== (after === null)) this.#tell(after === null ? 'close' : 'open');
  }

  /** Opens the panel; without effect in the page itself (`mode="inline"`), where it is always open. */
  open(): void {
    if (!this.hasAttribute('open')) this.setAttribute('open', '');
  }

  close(): void {
    this.removeAttribute('open');
  }

  /** Opens the panel and asks. Returns false where that cannot be done now: an answer is on its way, or a wait is not over. */
  ask(text: string): boolean {
    this.open();
    return this.#chat?.ask(text) ?? false;
  }

  get #settings(): WidgetSettings {
    return readSettings(this, scriptUrl);
  }

  #createChat(): Chat {
    const { api, key } = this.#settings.gateway;
    return new Chat({
      gateway: () => this.#settings.gateway,
      storage: tabStorage(),
      storageName: `relata-chat ${api} ${key}`,
      onChange: () => this.#renderSoon(),
      onAnswer: ({ text, sources }) => this.#tell('answer', { text, sources }),
    });
  }

  /** At most once for each picture that the screen shows, however fast an answer comes. */
  #renderSoon(): void {
    this.#frame ||= requestAnimationFrame(() => this.#render());
  }

  #render(): void {
    this.#frame = 0;
    if (!this.isConnected || !this.#chat) return;
    const widget = (
      <Widget
        chat={this.#chat}
        settings={this.#settings}
        gateway={() => this.#settings.gateway}
        isOpen={this.hasAttribute('open')}
        onOpen={() => this.open()}
        onClose={() => this.close()}
        onDemoSent={(forwarded) => this.#tell('demo-sent', { forwarded })}
      />
    );
    render(widget, this.#root);
  }

  #tell(what: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(`relata-${what}`, { detail, bubbles: true, composed: true }));
  }
}

/** A module has no `currentScript`; then the script is found by its name. */
function findScriptUrl(): string {
  const current = document.currentScript;
  const byName = document.querySelector<HTMLScriptElement>('script[src*="/widget.js"], script[src*="relata-chat.js"]');
  return (current instanceof HTMLScriptElement && current.src) || byName?.src || location.href;
}
