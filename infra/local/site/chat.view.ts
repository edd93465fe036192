import { html, type Html } from './html.ts';

const questions = ['What does it cost?', 'Does it work with Slack?', 'Where is our data kept?'];

/** Returns the chat as a visitor's page embeds it, or instructions for creating the missing key. */
export function chatPart(key: string | undefined, mode: 'launcher' | 'inline'): Html {
  if (!key) return withoutKey;
  return html`<script src="/v1/genie/widget.js" async></script>
    <relata-chat
      api-key="${key}"
      mode="${mode}"
      name="Acme Flow"
      greeting="Hello! What would you like to know about Acme Flow?"
      placeholder="Ask about Acme Flow"
      suggestions="${questions.join('|')}"
    ></relata-chat>`;
}

/** Returns a button that asks a question in the chat. Returns nothing if there is no chat. */
export function askButton(key: string | undefined, question: string, text = question, kind = 'chip'): Html {
  return key ? html`<button type="button" class="${kind}" data-ask="${question}">${text}</button>` : html``;
}

const withoutKey = html`<aside class="notice">
  <p>
    <strong>The chat is not on this page:</strong> the database had its own data, so no demo organization was created.
    Create a publishable key for this address, and put it into your page:
  </p>
  <pre><code>npx relata keys create --org ID --publishable --origin http://127.0.0.1:PORT</code></pre>
</aside>`;
