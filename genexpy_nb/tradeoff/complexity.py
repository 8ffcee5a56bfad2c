"""Complexity measures of a trained network by name: what theory offers as predictors of the generalization gap.

The 26 measures of Dziugaite et al. (2020), most of them from Jiang et al. (2020). `data/runs/complexity.py` of the
repository computes them, for any framework: docs/tradeoff_torch.md.
"""

#: Name -> formula in words, in the order in which data/runs/complexity.py computes them. W_i are the weights of layer i
#: out of d, D_i their distance from the initial ones, omega their number, gamma the 10th percentile of the m training
#: margins, ``spec`` the squared spectral and ``fro`` the squared Frobenius norm, sigma as in `noise_scale` there, and
#: sigma' its magnitude-aware form.
MEASURES = {
    "params": "number of weights, omega",
    "inverse_margin": "1 / gamma^2",
    "l2": "Euclidean norm of all weights, not squared",
    "l2_dist": "Euclidean distance of all weights from the initial ones, not squared",
    "param_norm": "sum of fro(W_i): l2 squared",
    "fro_dist": "sum of fro(D_i): l2_dist squared",
    "dist_spec_init": "sum of spec(D_i)",
    "log_prod_of_spec": "sum of ln spec(W_i)",
    "log_prod_of_spec_over_margin": "log_prod_of_spec - ln gamma^2",
    "log_sum_of_spec": "ln d + log_prod_of_spec / d",
    "log_sum_of_spec_over_margin": "ln d + log_prod_of_spec_over_margin / d",
    "fro_over_spec": "sum of fro(W_i) / spec(W_i)",
    "log_spec_init_main": "log_prod_of_spec_over_margin + ln of the sum of fro(D_i) / spec(W_i)",
    "log_spec_orig_main": "log_prod_of_spec_over_margin + ln fro_over_spec",
    "log_prod_of_fro": "sum of ln fro(W_i)",
    "log_prod_of_fro_over_margin": "log_prod_of_fro - ln gamma^2",
    "log_sum_of_fro": "ln d + log_prod_of_fro / d",
    "log_sum_of_fro_over_margin": "ln d + log_prod_of_fro_over_margin / d",
    "path_norm": "sum over all paths of the product of their squared weights: outputs for ones, weights squared",
    "path_norm_over_margin": "path_norm / gamma^2",
    "pacbayes_init": "fro_dist / (4 sigma^2) + ln(m / sigma) + 10",
    "pacbayes_orig": "param_norm / (4 sigma^2) + ln(m / sigma) + 10",
    "pacbayes_flatness": "1 / sigma^2",
    "pacbayes_mag_init": (
        "1/4 sum over the weights of ln((eps^2 + (sigma'^2 + 1) fro_dist / omega) / (eps^2 + sigma'^2 D^2)) "
        "+ ln(m / sigma') + 10"
    ),
    "pacbayes_mag_orig": "pacbayes_mag_init with param_norm in place of fro_dist",
    "pacbayes_mag_flatness": "1 / sigma'^2",
}
