import { render } from 'preact';
import { type Chat, chatName, type OnAnswer } from './chat/chat.ts';
import { joinChat, leaveChat } from './chat/shared-chats.ts';
import { attributeNames, readSettings, type WidgetSettings } from './panel/settings.ts';
import { Widget } from './panel/widget.tsx';
import { styles } from './style/sheet.ts';
import { followViewport } from './style/viewport.ts';

/**
 * URL of this script, or of the page if the script has another name. It can be determined only while the script first
 * runs.
 */
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
    this.#chat = joinChat(this.#settings.gateway, this.#renderSoon);
    this.#unfollow = followViewport(this.#root);
    this.#render();
  }

  disconnectedCallback(): void {
    if (this.#chat) leaveChat(this.#chat, this.#renderSoon);
    this.#chat = undefined;
    this.#unfollow?.();
    cancelAnimationFrame(this.#frame);
    render(null, this.#root);
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (name === 'api' || name === 'api-key') this.#changeGateway();
    if (!this.#chat) return;
    this.#render();
    if (name === 'open' && (before === null) !== (after === null)) this.#tell(after === null ? 'close' : 'open');
  }

  /** Opens the panel. With `mode="inline"` the panel is always open, so this has no visible effect. */
  open(): void {
    if (!this.hasAttribute('open')) this.setAttribute('open', '');
  }

  close(): void {
    this.removeAttribute('open');
  }

  /**
   * Opens the panel and asks. Returns false if the text is empty, an answer is still arriving, a rate limit still
   * requires a wait, or the element is not in a page.
   */
  ask(text: string): boolean {
    this.open();
    return this.#chat?.ask(text, this.#onAnswer) ?? false;
  }

  get #settings(): WidgetSettings {
    return readSettings(this, scriptUrl);
  }

  /** Leaves the conversation of the previous gateway and key, and continues that of the new ones. */
  #changeGateway(): void {
    const { gateway } = this.#settings;
    if (!this.#chat || this.#chat.name === chatName(gateway)) return;
    leaveChat(this.#chat, this.#renderSoon);
    this.#chat = joinChat(gateway, this.#renderSoon);
  }

  readonly #onAnswer: OnAnswer = ({ text, sources }) => this.#tell('answer', { text, sources });

  /** Renders at most once per frame, however fast an answer arrives. */
  readonly #renderSoon = (): void => {
    this.#frame ||= requestAnimationFrame(() => this.#render());
  };

  #render(): void {
    this.#frame = 0;
    if (!this.#chat) return;
    const widget = (
      <Widget
        chat={this.#chat}
        settings={this.#settings}
        isOpen={this.hasAttribute('open')}
        onOpen={() => this.open()}
        onClose={() => this.close()}
        onAnswer={this.#onAnswer}
        onDemoSent={(forwarded) => this.#tell('demo-sent', { forwarded })}
      />
    );
    render(widget, this.#root);
  }

  #tell(what: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(`relata-${what}`, { detail, bubbles: true, composed: true }));
  }
}

/**
 * Returns the URL of the script. It must end with the gateway's path, because questions and the key are sent to its
 * origin. A module has no `currentScript`, so this also looks at all scripts of the page.
 */
function findScriptUrl(): string {
  const scripts = [document.currentScript, ...document.querySelectorAll('script')];
  const urls = scripts.map((script) => (script instanceof HTMLScriptElement ? script.src : ''));
  return urls.find((url) => /^https?:[^?#]+\/v1\/genie\/widget\.js(?:[?#]|$)/.test(url)) ?? location.href;
}
