package dev.vt.model;

/**
 * The forward pass in double precision and plain loops: dense attention over all earlier tokens, no cache, no pages, no
 * ops. Rotation is written from the formulas of the two families, so it shares nothing with the code under test.
 */
final class ReferenceDecoder {
    private final TinyModel m;

    ReferenceDecoder(TinyModel model) {
        this.m = model;
    }

    /** The logits after each token. */
    double[][] logits(int[] tokens) {
        int n = tokens.length;
        double[][] x = new double[n][];
        for (int t = 0; t < n; t++) {
            x[t] = row("token_embd.weight", tokens[t], m.width);
        }
        for (int layer = 0; layer < m.layers; layer++) {
            String p = "blk." + layer + ".";
            double[][] attention = attention(p, x);
            for (int t = 0; t < n; t++) {
                x[t] = sum(x[t], attention[t]);
                double[] h = norm(x[t], p + "ffn_norm.weight");
                x[t] = sum(
                        x[t],
                        m.experts > 0 ? new ReferenceMixture(m.mixture(), m::weight, p).of(h) : feedForward(h, p));
            }
        }
        double[][] out = new double[n][];
        for (int t = 0; t < n; t++) {
            out[t] = multiply(
                    norm(x[t], "output_norm.weight"), m.weight(m.tied ? "token_embd.weight" : "output.weight"));
        }
        return out;
    }

    private double[] feedForward(double[] h, String p) {
        double[] gate = linear(h, p + "ffn_gate");
        double[] up = linear(h, p + "ffn_up");
        for (int i = 0; i < gate.length; i++) {
            gate[i] = gate[i] / (1 + Math.exp(-gate[i])) * up[i];
        }
        return linear(gate, p + "ffn_down");
    }

    private double[][] attention(String p, double[][] x) {
        int n = x.length;
        double[][] q = new double[n][];
        double[][] k = new double[n][];
        double[][] v = new double[n][];
        for (int t = 0; t < n; t++) {
            double[] h = norm(x[t], p + "attn_norm.weight");
            q[t] = rotate(headNorm(linear(h, p + "attn_q"), p + "attn_q_norm.weight"), t);
            k[t] = rotate(headNorm(linear(h, p + "attn_k"), p + "attn_k_norm.weight"), t);
            v[t] = linear(h, p + "attn_v");
        }
        double[][] out = new double[n][];
        for (int t = 0; t < n; t++) {
            double[] heads = new double[m.heads * m.headSize];
            for (int h = 0; h < m.heads; h++) {
                head(q[t], k, v, t, h, heads);
            }
            out[t] = linear(heads, p + "attn_output");
        }
        return out;
    }

    private void head(double[] q, double[][] k, double[][] v, int t, int h, double[] out) {
        int d = m.headSize;
        int kv = h / (m.heads / m.kvHeads) * d;
        double[] weights = new double[t + 1];
        double total = 0;
        for (int s = 0; s <= t; s++) {
            double dot = 0;
            for (int i = 0; i < d; i++) {
                dot += q[h * d + i] * k[s][kv + i];
            }
            weights[s] = Math.exp(dot / Math.sqrt(d));
            total += weights[s];
        }
        for (int s = 0; s <= t; s++) {
            for (int i = 0; i < d; i++) {
                out[h * d + i] += weights[s] / total * v[s][kv + i];
            }
        }
    }

    private double[] rotate(double[] x, int position) {
        double[] out = x.clone();
        int half = m.rotary / 2;
        boolean neighbours = m.architecture.equals("llama");
        for (int head = 0; head < x.length; head += m.headSize) {
            for (int i = 0; i < half; i++) {
                double angle = position / m.ropeScale / Math.pow((float) m.ropeBase, 2.0 * i / m.rotary);
                if (m.ropeFactors != null) {
                    angle /= m.ropeFactors[i];
                }
                int a = head + (neighbours ? 2 * i : i);
                int b = head + (neighbours ? 2 * i + 1 : i + half);
                out[a] = x[a] * Math.cos(angle) - x[b] * Math.sin(angle);
                out[b] = x[a] * Math.sin(angle) + x[b] * Math.cos(angle);
            }
        }
        return out;
    }

    private double[] headNorm(double[] x, String weight) {
        if (!m.headNorms) {
            return x;
        }
        double[] out = new double[x.length];
        for (int head = 0; head < x.length; head += m.headSize) {
            double[] one = new double[m.headSize];
            System.arraycopy(x, head, one, 0, one.length);
            System.arraycopy(norm(one, weight), 0, out, head, one.length);
        }
        return out;
    }

    private double[] norm(double[] x, String weight) {
        float[] w = m.weight(weight);
        double squares = 0;
        for (double value : x) {
            squares += value * value;
        }
        double scale = 1 / Math.sqrt(squares / x.length + m.eps);
        double[] out = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            out[i] = x[i] * scale * w[i];
        }
        return out;
    }

    private double[] linear(double[] x, String name) {
        double[] out = multiply(x, m.weight(name + ".weight"));
        float[] bias = m.weight(name + ".bias");
        for (int i = 0; bias != null && i < out.length; i++) {
            out[i] += bias[i];
        }
        return out;
    }

    private static double[] multiply(double[] x, float[] w) {
        double[] out = new double[w.length / x.length];
        for (int o = 0; o < out.length; o++) {
            for (int i = 0; i < x.length; i++) {
                out[o] += x[i] * w[o * x.length + i];
            }
        }
        return out;
    }

    private static double[] sum(double[] a, double[] b) {
        double[] out = a.clone();
        for (int i = 0; i < out.length; i++) {
            out[i] += b[i];
        }
        return out;
    }

    private double[] row(String name, int index, int size) {
        double[] out = new double[size];
        for (int i = 0; i < size; i++) {
            out[i] = m.weight(name)[index * size + i];
        }
        return out;
    }
}
