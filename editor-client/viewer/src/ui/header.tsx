/** The head of the page: which trial, how it ended, and its figures. */

import type { ComponentChildren } from 'preact';

import { amount, duration, firstLine, rounded } from '../format.ts';
import type { Index, Trial, TrialHead } from '../trace.ts';
import { number, Status } from './graders_view.tsx';

interface Props {
  readonly index: Index;
  readonly head: TrialHead;
  readonly trial: Trial | undefined;
  readonly beside: { readonly head: TrialHead; readonly trial: Trial | undefined } | undefined;
  readonly children: ComponentChildren;
}

export function Header({ index, head, trial, beside, children }: Props) {
  const { run } = index;
  const about = [run?.model || trial?.model, run?.executor, run?.started_at && new Date(run.started_at * 1000).toLocaleString()].filter(Boolean);
  return (
    <header class="head">
      <div class="head-line">
        <h1>
          <span class="suite">{index.title}</span> {head.name || head.task}
          <span class="trial-number"> trial {head.trial}</span>
        </h1>
        <Status status={head.status} />
        {beside && (
          <>
            <span class="against">beside trial {beside.head.trial}{beside.head.task === head.task ? '' : ` of ${beside.head.name || beside.head.task}`}</span>
            <Status status={beside.head.status} />
          </>
        )}
        <div class="tools">{children}</div>
      </div>
      <div class="head-line">
        <Figures head={head} trial={trial} isNamed={beside !== undefined} />
        {beside && <Figures head={beside.head} trial={beside.trial} isNamed />}
        <p class="about">{about.join(' · ')}</p>
      </div>
      {head.error && <p class="error-line">{firstLine(head.error, 300)}</p>}
    </header>
  );
}

export function Figures({ head, trial, isNamed = false }: { head: TrialHead; trial: Trial | undefined; isNamed?: boolean }) {
  const cached = trial?.usage?.cache_read_tokens ?? 0;
  const figures: [string, string][] = [
    ['Trial', isNamed ? String(head.trial) : ''],
    ['Score', head.score === null ? '' : number(head.score)],
    ['Time', duration(head.duration_ms)],
    ['Turns', head.turns > 0 ? amount(head.turns) : ''],
    ['Tool calls', amount(head.tool_calls)],
    ['Tokens in', head.tokens_in > 0 ? amount(head.tokens_in) + (cached > 0 ? ` (${amount(cached)} cached)` : '') : ''],
    ['Tokens out', head.tokens_out > 0 ? amount(head.tokens_out) : ''],
    ['Premium requests', head.premium_requests ? rounded(head.premium_requests) : ''],
    ['Cost of judges', head.cost ? rounded(head.cost) : ''],
  ];
  return (
    <dl class="figures">
      {figures
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
