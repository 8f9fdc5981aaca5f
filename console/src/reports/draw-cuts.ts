import type uPlot from 'uplot';
import type { ChartLook } from './chart-look.ts';
import { cutColumns, type Cut } from './cut-axis.ts';

/** Breaks the bars that go beyond the axis, so that nobody takes their height for their value. */
export function drawCuts(plot: uPlot, look: ChartLook, cut: Cut): void {
  const { ctx, bbox } = plot;
  const unit = devicePixelRatio;
  const column = bbox.width / look.columns.length;
  const half = Math.min(column * 0.68, 44 * unit) / 2 + 2 * unit;
  ctx.save();
  ctx.globalCompositeOperation = 'destination-out';
  ctx.strokeStyle = '#000';
  ctx.lineWidth = 3 * unit;
  for (const one of cutColumns(look, cut)) {
    const { look: kind, isDown } = look.series[one.series]!;
    if (kind !== 'bar') continue;
    const middle = bbox.left + column * (one.column + 0.5);
    const edge = isDown === true ? bbox.top + bbox.height - 18 * unit : bbox.top + 18 * unit;
    for (const shift of [-3.5 * unit, 3.5 * unit]) {
      ctx.beginPath();
      ctx.moveTo(middle - half, edge + shift + 3 * unit);
      ctx.lineTo(middle + half, edge + shift - 3 * unit);
      ctx.stroke();
    }
  }
  ctx.restore();
}
