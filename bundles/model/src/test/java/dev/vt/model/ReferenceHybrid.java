package dev.vt.model;

/**
 * The forward pass of a hybrid model in double precision and plain loops: every token is computed from all earlier ones,
 * without a cache of any kind and without ops. The delta rule is written as a sum over earlier tokens of what each of
 * them still has to say, not as a recurrence over a state.
 */
final class ReferenceHybrid {
    private final TinyHybrid m;

    ReferenceHybrid(TinyHybrid model) {
        this.m = model;
    }

    /** The logits after each token. */
    double[][] logits(int[] tokens) {
        int n = tokens.length;
        double[][] x = new double[n][];
        for (int t = 0; t < n; t++) {
            x[t] = part(m.weight("token_embd.weight"), tokens[t] * m.width, m.width);
        }
        for (int layer = 0; layer < m.layers; layer++) {
            String p = "blk." + layer + ".";
            double[][] h = new double[n][];
            for (int t = 0; t < n; t++) {
                h[t] = norm(x[t], m.weight(p + "attn_norm.weight"));
            }
            double[][] mixed = m.linear(layer) ? delta(p, h) : attention(p, h);
            for (int t = 0; t < n; t++) {
                x[t] = sum(x[t], mixed[t]);
                x[t] = sum(x[t], feedForward(p, norm(x[t], m.weight(p + "post_attention_norm.weight"))));
            }
        }
        double[][] out = new double[n][];
        for (int t = 0; t < n; t++) {
            out[t] = multiply("output.weight", norm(x[t], m.weight("output_norm.weight")));
        }
        return out;
    }

    private double[] feedForward(String p, double[] h) {
        if (m.mixture() != null) {
            return new ReferenceMixture(m.mixture(), m::weight, p).of(h);
        }
        double[] gate = multiply(p + "ffn_gate.weight", h);
        double[] up = multiply(p + "ffn_up.weight", h);
        for (int i = 0; i < gate.length; i++) {
            gate[i] = silu(gate[i]) * up[i];
        }
        return multiply(p + "ffn_down.weight", gate);
    }

    // Linear attention

    private double[][] delta(String p, double[][] h) {
        int n = h.length;
        int keyWidth = m.keyHeads * m.keySize;
        int perKey = m.valueHeads / m.keyHeads;
        double[][] qkv = convolved(p, h);
        double[][] out = new double[n][m.valueHeads * m.valueSize];
        for (int head = 0; head < m.valueHeads; head++) {
            int keyAt = head / perKey * m.keySize;
            double[][] q = new double[n][];
            double[][] k = new double[n][];
            double[][] v = new double[n][];
            double[] decay = new double[n];
            double[] beta = new double[n];
            for (int t = 0; t < n; t++) {
                q[t] = unit(slice(qkv[t], keyAt, m.keySize));
                k[t] = unit(slice(qkv[t], keyWidth + keyAt, m.keySize));
                v[t] = slice(qkv[t], 2 * keyWidth + head * m.valueSize, m.valueSize);
                double[] ba = multiply(p + "ssm_ba.weight", h[t]);
                int group = head / perKey * 2 * perKey;
                double b = ba[group + head % perKey];
                double a = ba[group + perKey + head % perKey];
                double rate = Math.log(1 + Math.exp(a + m.weight(p + "ssm_dt.bias")[head]));
                decay[t] = Math.exp(m.weight(p + "ssm_a")[head] * rate);
                beta[t] = 1 / (1 + Math.exp(-b));
            }
            double[][] written = written(k, v, decay, beta);
            for (int t = 0; t < n; t++) {
                double[] y = read(q[t], k, written, decay, t, true);
                double[] z = multiply(p + "attn_gate.weight", h[t]);
                for (int i = 0; i < m.valueSize; i++) {
                    y[i] /= Math.sqrt(m.keySize);
                }
                y = norm(y, m.weight(p + "ssm_norm.weight"));
                for (int i = 0; i < m.valueSize; i++) {
                    out[t][head * m.valueSize + i] = y[i] * silu(z[head * m.valueSize + i]);
                }
            }
        }
        for (int t = 0; t < n; t++) {
            out[t] = multiply(p + "ssm_out.weight", out[t]);
        }
        return out;
    }

    /** What each token writes under its key: the part of its value that is not there yet. */
    private double[][] written(double[][] k, double[][] v, double[] decay, double[] beta) {
        double[][] written = new double[k.length][];
        for (int t = 0; t < k.length; t++) {
            double[] known = read(k[t], k, written, decay, t, false);
            written[t] = new double[m.valueSize];
            for (int i = 0; i < m.valueSize; i++) {
                written[t][i] = beta[t] * (v[t][i] - known[i]);
            }
        }
        return written;
    }

    /** Sum over earlier tokens s of (key of s . asked) * written by s, faded by all decays after s up to t. */
    private double[] read(double[] asked, double[][] k, double[][] written, double[] decay, int t, boolean itself) {
        double[] out = new double[m.valueSize];
        double faded = 1;
        for (int s = itself ? t : t - 1; s >= 0; s--) {
            if (s < t) {
                faded *= decay[s + 1];
            }
            double similar = 0;
            for (int j = 0; j < m.keySize; j++) {
                similar += k[s][j] * asked[j];
            }
            for (int i = 0; i < m.valueSize; i++) {
                out[i] += faded * similar * written[s][i];
            }
        }
        return out;
    }

    private double[][] convolved(String p, double[][] h) {
        float[] w = m.weight(p + "ssm_conv1d.weight");
        double[][] in = new double[h.length][];
        double[][] out = new double[h.length][];
        for (int t = 0; t < h.length; t++) {
            in[t] = multiply(p + "attn_qkv.weight", h[t]);
            out[t] = new double[in[t].length];
            for (int c = 0; c < out[t].length; c++) {
                double y = 0;
                for (int back = 0; back < m.taps && back <= t; back++) {
                    y += w[c * m.taps + m.taps - 1 - back] * in[t - back][c];
                }
                out[t][c] = silu(y);
            }
        }
        return out;
    }

    private static double[] unit(double[] x) {
        double squares = 1e-6;
        for (double value : x) {
            squares += value * value;
        }
        for (int i = 0; i < x.length; i++) {
            x[i] /= Math.sqrt(squares);
        }
        return x;
    }

    // Full attention

    private double[][] attention(String p, double[][] h) {
        int n = h.length;
        int d = m.headSize;
        double[][] out = new double[n][m.heads * d];
        for (int head = 0; head < m.heads; head++) {
            int kv = head / (m.heads / m.kvHeads) * d;
            double[][] k = new double[n][];
            double[][] v = new double[n][];
            for (int t = 0; t < n; t++) {
                double[] key = slice(multiply(p + "attn_k.weight", h[t]), kv, d);
                k[t] = rotate(norm(key, m.weight(p + "attn_k_norm.weight")), t);
                v[t] = slice(multiply(p + "attn_v.weight", h[t]), kv, d);
                double[] both = slice(multiply(p + "attn_q.weight", h[t]), 2 * head * d, 2 * d);
                double[] q = rotate(norm(slice(both, 0, d), m.weight(p + "attn_q_norm.weight")), t);
                double[] y = attend(q, k, v, t);
                for (int i = 0; i < d; i++) {
                    out[t][head * d + i] = y[i] / (1 + Math.exp(-both[d + i]));
                }
            }
        }
        for (int t = 0; t < n; t++) {
            out[t] = multiply(p + "attn_output.weight", out[t]);
        }
        return out;
    }

    private double[] attend(double[] q, double[][] k, double[][] v, int t) {
        double total = 0;
        double[] out = new double[q.length];
        for (int s = 0; s <= t; s++) {
            double dot = 0;
            for (int i = 0; i < q.length; i++) {
                dot += q[i] * k[s][i];
            }
            double weight = Math.exp(dot / Math.sqrt(q.length));
            total += weight;
            for (int i = 0; i < q.length; i++) {
                out[i] += weight * v[s][i];
            }
        }
        for (int i = 0; i < q.length; i++) {
            out[i] /= total;
        }
        return out;
    }

    private double[] rotate(double[] x, int position) {
        double[] out = x.clone();
        int half = m.rotary / 2;
        for (int i = 0; i < half; i++) {
            double angle = position / Math.pow(10_000, 2.0 * i / m.rotary);
            out[i] = x[i] * Math.cos(angle) - x[i + half] * Math.sin(angle);
            out[i + half] = x[i] * Math.sin(angle) + x[i + half] * Math.cos(angle);
        }
        return out;
    }

    // Arithmetic

    private static double silu(double x) {
        return x / (1 + Math.exp(-x));
    }

    private double[] norm(double[] x, float[] w) {
        double squares = 0;
        for (double value : x) {
            squares += value * value;
        }
        double[] out = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            out[i] = x[i] / Math.sqrt(squares / x.length + m.eps) * w[i];
        }
        return out;
    }

    private double[] multiply(String name, double[] x) {
        float[] w = m.weight(name);
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

    private static double[] slice(double[] x, int from, int n) {
        double[] out = new double[n];
        System.arraycopy(x, from, out, 0, n);
        return out;
    }

    private static double[] part(float[] x, int from, int n) {
        double[] out = new double[n];
        for (int i = 0; i < n; i++) {
            out[i] = x[from + i];
        }
        return out;
    }
}
