import { html, type Html } from './html.ts';

const columns = [
  {
    name: 'Enquiry',
    deals: [
      { who: 'Holm Pumps', amount: '$18,400' },
      { who: 'Vantaa Mills', amount: '$7,900' },
      { who: 'Osei Timber', amount: '$41,200' },
    ],
  },
  {
    name: 'Quote sent',
    deals: [
      { who: 'Kumo Logistics', amount: '$125,000', state: 'stuck', note: 'quiet for weeks' },
      { who: 'Northwind', amount: '$32,150' },
    ],
  },
  {
    name: 'Order',
    deals: [
      { who: 'Bergtal AG', amount: '$64,000', note: 'signed today' },
      { who: 'Tidewater', amount: '$22,800' },
    ],
  },
];

interface Deal {
  who: string;
  amount: string;
  state?: string;
  note?: string;
}

const card = ({ who, amount, state = '', note }: Deal): Html =>
  html`<div class="deal ${state}"><b>${who}</b><span>${amount}</span>${note ? html`<i>${note}</i>` : html``}</div>`;

/** A picture of the product, drawn with boxes; screen readers skip it. */
export const boardPart: Html = html`<div class="board" aria-hidden="true">
  ${columns.map(({ name, deals }) => html`<div class="stage"><em>${name}</em>${deals.map(card)}</div>`)}
</div>`;
