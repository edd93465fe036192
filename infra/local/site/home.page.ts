import { docsPath } from '../gateway/routes.ts';
import { boardPart } from './board.view.ts';
import { askButton, chatPart } from './chat.view.ts';
import { html, type Html } from './html.ts';
import { layout } from './page-layout.ts';

const features = [
  {
    title: 'Every open deal on one board',
    text: 'See which quotes are waiting, and for whom. A deal that stalls for longer than usual turns amber, then red.',
    link: { page: 'pipeline', text: 'The pipeline view' },
  },
  {
    title: 'Follow-ups that happen',
    text: 'Say once what should happen after a quote, a call or a quiet month. Acme Flow does it, and says that it did.',
    link: { page: 'automations', text: 'Automations' },
  },
  {
    title: 'A forecast without a spreadsheet',
    text: 'The quarter, by region and product line, from what is really in the pipeline and what you really closed.',
    link: { page: 'reports', text: 'Reports and forecasts' },
  },
];

const plans = [
  { name: 'Starter', price: 19, text: 'Up to 5 users and one pipeline. Quotes, email sync and the mobile app.' },
  {
    name: 'Team',
    price: 39,
    text: 'For teams that grow: any number of pipelines, automations, reports, Slack, the API.',
  },
  {
    name: 'Business',
    price: 69,
    text: 'For several teams: single sign-on, roles, audit log, a choice of data region.',
  },
];

const questions = ['Which plan fits a team of 12?', 'How do we move from spreadsheets?', 'Can I cancel at any time?'];

export function homePage(chatKey: string | undefined): Html {
  return layout({
    title: 'Acme Flow: know where every order stands',
    description: 'Sales software for people who make things.',
    content: html`${hero(chatKey)} ${featureList()} ${pricing()} ${invitation(chatKey)}`,
    chat: chatPart(chatKey, 'launcher'),
  });
}

function hero(chatKey: string | undefined): Html {
  return html`<section class="hero">
    <div>
      <p class="eyebrow">Sales software for people who make things</p>
      <h1>Know where every order stands.</h1>
      <p class="lead">
        Acme Flow keeps accounts, deals, quotes and follow-ups of manufacturers in one place, so that nobody digs
        through inboxes to answer a customer.
      </p>
      <p class="actions">
        <a class="button" href="${docsPath}/free-trial">Try it free for 21 days</a>
        ${askButton(chatKey, 'I would like to book a demo.', 'Book a demo', 'button quiet')}
      </p>
      <p class="note">No credit card. About 1,900 companies in 31 countries work with it.</p>
    </div>
    ${boardPart}
  </section>`;
}

function featureList(): Html {
  const card = ({ title, text, link }: (typeof features)[number]) =>
    html`<li class="card">
      <h3>${title}</h3>
      <p>${text}</p>
      <a class="more" href="${docsPath}/${link.page}">${link.text}</a>
    </li>`;
  return html`<section id="features" class="band">
    <h2>Made for long deals with many people in them</h2>
    <ul class="cards">
      ${features.map(card)}
    </ul>
  </section>`;
}

function pricing(): Html {
  const card = ({ name, price, text }: (typeof plans)[number]) =>
    html`<li class="card plan">
      <h3>${name}</h3>
      <p class="price"><span>$${price}</span> per user per month</p>
      <p>${text}</p>
    </li>`;
  return html`<section class="band">
    <h2>One price per person, and nothing hidden</h2>
    <ul class="cards">
      ${plans.map(card)}
    </ul>
    <p class="note">
      Billed yearly, in dollars, without tax. View-only users are free.
      <a href="${docsPath}/pricing">All plans in detail</a>
    </p>
  </section>`;
}

function invitation(chatKey: string | undefined): Html {
  return html`<section class="invitation">
    <h2>Rather ask than read?</h2>
    <p>Our assistant has read every page of the <a href="${docsPath}">help centre</a>, and links its sources.</p>
    <p class="actions">${questions.map((question) => askButton(chatKey, question))}</p>
  </section>`;
}
