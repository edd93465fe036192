import { docsPath, sitePath } from '../gateway/routes.ts';
import { chatPart } from './chat.view.ts';
import { html, type Html } from './html.ts';
import { layout } from './page-layout.ts';

export function inlinePage(chatKey: string | undefined): Html {
  return layout({
    title: 'Ask us · Acme Flow',
    description: 'Ask the assistant of Acme Flow.',
    content: html`<section class="ask">
      <div>
        <p class="eyebrow">Ask us</p>
        <h1>Answers from our own pages.</h1>
        <p class="lead">
          The assistant quotes the <a href="${docsPath}">help centre</a> and links to what it quotes. When it does not
          know, it says so, and you can talk to one of us.
        </p>
        <p class="note">
          Here the chat is a part of the page: <code>mode="inline"</code>. On the <a href="${sitePath}">front page</a>
          it waits in the corner.
        </p>
      </div>
      <div class="frame">${chatPart(chatKey, 'inline')}</div>
    </section>`,
  });
}
